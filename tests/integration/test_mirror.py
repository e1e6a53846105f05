"""The mirror of a local-sgd run between real peers: a newcomer's base weights come from the web, or from a peer."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.errors import ErrorKind
from core.protocol.events import Progress, RoundFinished, StateLoading, Warned
from core.run.manifest import RunManifest
from core.run.spec.data import SumsData
from core.run.spec.optimizer import AdamW
from core.run.spec.recipe import ArithmeticGPT
from core.worker.swarm.local_sgd.round_log import MAX_ROUNDS
from tests.support.environment.folder_server import FolderServer, newest_mirrored, serving_folder
from tests.support.real_peers import Peer, averaged, peer_group, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]


def mirrored(address: str, **collaboration: Any) -> RunManifest:
    """A state of some megabytes, which is more than all else that a newcomer receives."""
    run = tiny(mode="local-sgd", target_batch_size=1500, mirror=address, **collaboration)
    recipe, data = ArithmeticGPT(layers=2, width=128, heads=2), SumsData(digits=2)
    return msgspec.structs.replace(run, recipe=recipe, data=data, optimizer=AdamW(learning_rate=5e-4))


def log_of(peer: Peer) -> str:
    """What the worker and its averagers have logged."""
    return (peer.home / "logs" / "worker.log").read_text()


def warnings_of(peer: Peer) -> list[str]:
    """What it has said of the mirror."""
    return [str(each.detail) for each in peer.all(Warned) if each.problem == ErrorKind.MIRROR_UNUSABLE.key]


def file_bytes(server: FolderServer) -> int:
    """Of the newest state in the mirror."""
    return max(path.stat().st_size for path in server.folder.glob("*.safetensors"))


def test_newcomers_begin_with_the_mirrors_weights_unless_those_are_stale(tmp_path: Path) -> None:
    folder = tmp_path / "www"
    with serving_folder(folder) as server, peer_group(tmp_path) as hired:
        run = mirrored(server.address, overlap="delayed")
        organiser = hired.organiser(manifest=run, mirror=str(folder))
        hired.volunteer(organiser.posted, "first", "client")
        organiser.wait_for(
            RoundFinished, lambda _: newest_mirrored(folder) > MAX_ROUNDS
        )  # no log leads there from nothing
        assert server.requests == []  # whoever can replay the rounds, or has seen them all, asks for nothing
        late = hired.volunteer(organiser.posted, "late", "client")
        received = late.all(Progress)[0].received_bytes
        told = [(each.what, each.received_bytes) for each in late.all(StateLoading) if each.what != "files"]
        states = [received for what, received in told if what == "state"]
        assert states == sorted(states) and told[-1][0] == "rest", told  # no second state that begins at 0 %
        assert "caught up with" in log_of(late), log_of(late)
        assert "sent a state of" not in log_of(late)
        assert server.asked("index.json") == [0]
        assert server.asked(".safetensors") == [0]
        assert server.sent_bytes > file_bytes(server)
        assert file_bytes(server) < received < 2 * file_bytes(server)  # no state of a peer's came on top of it
        late.wait_for(RoundFinished, lambda event: averaged(event) and event.peers == 3)
        assert warnings_of(late) == []
        assert not list((late.home / "data").rglob("*.safetensors*"))

        server.folder = shutil.copytree(folder, tmp_path / "stale")
        for path in organiser.home.rglob("*.frozen"):  # from which its log would lead on for longer
            path.unlink()
        enough = newest_mirrored(server.folder) + MAX_ROUNDS + 2  # outer steps, of which not every round leads to one
        organiser.wait_for(RoundFinished, lambda _: newest_mirrored(folder) >= enough, since=len(organiser.said))
        last = hired.volunteer(organiser.posted, "last", "client")
        (warning,) = warnings_of(last)
        assert "no round leads from its state to the present one" in warning
        assert "1 of 1 donors sent a state of" in log_of(last)
        last.wait_for(RoundFinished, lambda event: averaged(event) and event.peers == 4)
