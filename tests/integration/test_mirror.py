"""The mirror of a local-sgd run between real peers: a newcomer's base weights come from the web, or from a peer."""

from __future__ import annotations

import contextlib
import re
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.errors import ErrorKind
from core.protocol.codec import decode_event
from core.protocol.events import (
    AnyEvent,
    Progress,
    Published,
    Pushed,
    RoundFinished,
    StateLoading,
    TrainingStarted,
    Warned,
)
from core.records.published.mirror import INDEX_NAME
from core.run.manifest import RunManifest
from core.run.spec.data import SumsData
from core.run.spec.optimizer import AdamW
from core.run.spec.recipe import ArithmeticGPT
from core.worker.mirror.index import decode_index
from core.worker.swarm.local_sgd.round_log import MAX_ROUNDS
from tests.core.cli.organiser.receiving_hub import ReceivingHub, receiving_hub
from tests.integration.steering.test_other_data import write_run_file
from tests.support.environment.folder_server import FolderServer, newest_mirrored, serving_folder
from tests.support.peers.slow_computer import CLIENT
from tests.support.real_peers import LOOPBACK, PATIENCE_SECONDS, LineProcess, Peer, averaged, peer_group, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1500)]

LONG_ROUND = 9000  # samples: in a round the model is exported and pushed, by two processes that have to be started
CAUGHT_UP = re.compile(r"caught up with \S+ by (\d+) rounds")


def mirrored(address: str, **collaboration: Any) -> RunManifest:
    """A state of some megabytes, which is more than all else that a newcomer receives.

    Rounds are long, so that a round log still leads on from the mirror's state once that has come.
    """
    run = tiny(mode="local-sgd", target_batch_size=3000, mirror=address, **collaboration)
    recipe, data = ArithmeticGPT(layers=2, width=128, heads=2), SumsData(digits=2)
    return msgspec.structs.replace(run, recipe=recipe, data=data, optimizer=AdamW(learning_rate=5e-4))


def log_of(peer: Peer) -> str:
    """What the worker and its averagers have logged."""
    return (peer.home / "logs" / "worker.log").read_text()


def warnings_of(peer: Peer) -> list[str]:
    """What it has said of the mirror."""
    return [str(each.detail) for each in peer.all(Warned) if each.problem == ErrorKind.MIRROR_UNUSABLE.key]


def await_mirrored(organiser: Peer, folder: Path, outer_steps: int) -> None:
    """Wait until the mirror's newest state has so many of them behind it; not every round leads to one."""
    organiser.wait_for(
        Progress, lambda _: newest_mirrored(folder) >= outer_steps, since=len(organiser.said), seconds=PATIENCE_SECONDS
    )


def said_before_training(peer: Peer) -> list[AnyEvent]:
    """Until it had its state; what it downloads later, where it has missed rounds, is another matter."""
    return peer.said[: peer.said.index(peer.wait_for(TrainingStarted))]


def file_bytes(server: FolderServer) -> int:
    """Of the newest state in the mirror."""
    return decode_index((server.folder / INDEX_NAME).read_bytes()).size_bytes


def copied_mirror(folder: Path, to: Path) -> Path:
    """What was in it at one moment: the organiser goes on writing."""
    to.mkdir()
    while not (to / INDEX_NAME).exists():
        index = (folder / INDEX_NAME).read_bytes()
        with contextlib.suppress(FileNotFoundError):  # another state has taken its place
            shutil.copy(folder / decode_index(index).file, to)
            (to / INDEX_NAME).write_bytes(index)
    return to


def test_newcomers_begin_with_the_mirrors_weights_unless_those_are_stale(tmp_path: Path) -> None:
    folder = tmp_path / "www"
    with serving_folder(folder) as server, peer_group(tmp_path) as hired:
        run = mirrored(server.address, overlap="delayed")
        organiser = hired.organiser(manifest=run, mirror=str(folder))
        first = hired.volunteer(organiser.posted, "first", "client")
        was_late = first.wait_for(TrainingStarted).epoch > MAX_ROUNDS  # on a busy computer
        await_mirrored(organiser, folder, MAX_ROUNDS + 1)  # no log leads there from nothing
        assert (
            was_late or server.requests == []
        )  # whoever can replay the rounds, or has seen them all, asks for nothing
        server.requests.clear()
        server.sent_bytes = 0
        late = hired.volunteer(organiser.posted, "late", "client")
        received = late.all(Progress)[0].received_bytes
        loading = [each for each in said_before_training(late) if isinstance(each, StateLoading)]
        told = [(each.what, each.received_bytes) for each in loading if each.what != "files"]
        states = [received for what, received in told if what == "state"]
        assert states == sorted(states) and told[-1][0] == "rest", told  # no second state that begins at 0 %
        assert "caught up with" in log_of(late), log_of(late)
        assert "sent a state of" not in log_of(late)
        fetched = server.asked(".safetensors")  # more than one where rounds were faster than a busy computer
        assert {*server.asked(INDEX_NAME)} == {*fetched} == {0}
        assert server.sent_bytes > file_bytes(server)
        rounds = sum(map(int, CAUGHT_UP.findall(log_of(late))))  # of which each is a sixth of the file
        most = len(fetched) + 1 + rounds / 5  # files: no state of a peer's came on top of it
        assert file_bytes(server) < received < most * file_bytes(server)
        late.wait_for(RoundFinished, averaged, seconds=PATIENCE_SECONDS)
        assert warnings_of(late) == []
        assert not list((late.home / "data").rglob("*.safetensors*"))

        server.folder = copied_mirror(folder, tmp_path / "stale")
        for path in organiser.home.rglob("*.frozen"):  # from which its log would lead on for longer
            path.unlink()
        enough = newest_mirrored(server.folder) + MAX_ROUNDS + 2  # outer steps, of which not every round leads to one
        await_mirrored(organiser, folder, enough)
        last = hired.volunteer(organiser.posted, "last", "client")
        (warning,) = warnings_of(last)
        assert "no round leads from its state to the present one" in warning
        assert "1 of 1 donors sent a state of" in log_of(last)
        last.wait_for(RoundFinished, averaged, seconds=PATIENCE_SECONDS)


def test_the_repository_that_the_model_is_pushed_to_is_the_mirror_of_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "organiser"
    with receiving_hub() as hub, peer_group(tmp_path) as hired:
        run = mirrored(f"{hub.url}/somebody/adder/resolve/main/", overlap="delayed")
        longer = msgspec.structs.replace(run.collaboration, target_batch_size=LONG_ROUND)
        folder.mkdir()
        file = write_run_file(folder / "run.toml", msgspec.structs.replace(run, collaboration=longer))
        told = ["--mirror", str(folder / "www"), "--mirror-every", "1", "--push", "hub://somebody/adder"]
        told += ["--push-every", "1", "--listen", LOOPBACK, "--device", "cpu", "--threads", "1", "--json"]
        organiser = LineProcess(
            [*CLIENT, "publish", str(file), *told],
            folder / "publish.log",
            decode_event,
            is_warm=False,
            WORKERBEE_HOME=str(folder),
            HF_ENDPOINT=hub.url,
            HF_TOKEN="hf_secretsecretsecret",
        )
        try:
            address = organiser.wait_for(Published).addresses[0]
            organiser.wait_for(Pushed, lambda _: pushed_steps(hub) > MAX_ROUNDS, seconds=PATIENCE_SECONDS)
            newest = hub.committed[-1]
            assert {"README.md", "model.safetensors"} <= newest.keys(), "the model is there, too"
            late = hired.volunteer(address, "late", "client")
            assert "caught up with" in log_of(late) and "sent a state of" not in log_of(late)
            assert any(name.endswith(".safetensors") for name in hub.fetched) and warnings_of(late) == []
            late.wait_for(RoundFinished, averaged, seconds=PATIENCE_SECONDS)
        finally:
            organiser.end()
        assert not any(each.problem == ErrorKind.PUSH_FAILED.key for each in organiser.all(Warned))


def pushed_steps(hub: ReceivingHub) -> int:
    """How many outer steps the state in the repository has behind it."""
    indexes = [files[INDEX_NAME] for files in hub.committed if INDEX_NAME in files]
    return decode_index(indexes[-1]).outer_steps if indexes else 0
