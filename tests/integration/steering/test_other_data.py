"""Other texts for all peers of a run from one epoch on, as they have agreed to; a newcomer reads only those."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from core.errors import ErrorKind
from core.files.locks import PeerFiles
from core.protocol.codec import encode
from core.protocol.commands import Publish
from core.protocol.events import AnyEvent, Evaluated, Failed, Published, RoundFinished, RunFound, Warned
from core.run.manifest import RunManifest, SteeringSpec
from core.run.multiaddr import Multiaddr
from core.run.spec.data import FileAt, TextFiles
from core.run.spec.language_models import GPT2
from core.run.spec.optimizer import AdamW
from core.run.spec.recipe import CausalLM
from core.run.steering.control_value import ControlValue
from core.run.steering.kept_control import ask_control
from tests.support import cli_process
from tests.support.environment.folder_server import FolderServer, serving_folder
from tests.support.learning.equal_losses import losses_of, wait_for_equal_losses
from tests.support.real_peers import LOOPBACK, RUN_ID, LineProcess, Peer, PeerGroup, averaged, tiny, workerbee

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1800)]

CHANGED_SECONDS = 600.0  # a change begins up to ten epochs later, of which each may last half a minute
LEARNED = 5  # epochs before a change and after it
NEW, WRONG = "ships.txt", "wasps.txt"
TEXTS = {
    "bees.txt": [f"{name} keeps the {thing}." for name in ("Ada", "Bo") for thing in ("bees", "honey", "wax") * 40],
    WRONG: 40 * ["Ada keeps no wasps."],
    NEW: [f"{wind} WIND: {count} SHIPS LEFT" for wind in ("EAST", "WEST") for count in range(100)],
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FolderServer]:
    """A web server with texts, of which the last has hardly a letter in common with the others."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, paragraphs in TEXTS.items():
        (folder / name).write_text("\n\n".join(paragraphs))
    with serving_folder(folder) as serving:
        yield serving


def text(server: FolderServer, name: str) -> TextFiles:
    """That text as data of a run."""
    content = (server.folder / name).read_bytes()
    file = FileAt(url=server.address + name, sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))
    return TextFiles(files=(file,), format="text", held_out_one_in=8)


def run_of(data: TextFiles, **collaboration: object) -> RunManifest:
    """A tiny language model that learns from it, whose organiser may exchange it for twice as much."""
    numbers = {"num_hidden_layers": 1, "num_attention_heads": 2, "max_position_embeddings": 32}
    return msgspec.structs.replace(
        tiny("Tiny texts", **collaboration),
        recipe=CausalLM(config=GPT2(vocab_size=258, hidden_size=32, **numbers), sequence_length=16),
        data=data,
        optimizer=AdamW(learning_rate=0.01),
        steering=SteeringSpec(max_change=2.0, data=True),
    )


def write_run_file(path: Path, manifest: RunManifest) -> Path:
    """That run as an organiser writes it."""
    plain = msgspec.to_builtins(manifest)
    del plain["format"], plain["revision"]
    path.write_bytes(msgspec.toml.encode(_without_none(plain)))
    return path


def _without_none(value: object) -> object:
    match value:
        case dict():
            return {name: _without_none(each) for name, each in value.items() if each is not None}
        case list() | tuple():
            return [_without_none(each) for each in value]
        case _:
            return value


def wrong(server: FolderServer) -> TextFiles:
    """A text of that server with another hash than it has."""
    right = text(server, WRONG)
    return msgspec.structs.replace(right, files=(msgspec.structs.replace(right.files[0], sha256=64 * "0"),))


def assert_others_that_nobody_could_have_are_not_signed(organiser: Peer, wanted: RunManifest) -> None:
    """The organiser is told so instead, and no peer ends."""
    file = write_run_file(organiser.home / "run.toml", wanted)
    workerbee(organiser.home, "run", "edit", RUN_ID, str(file), "--yes")
    told = organiser.wait_for(Warned, lambda each: each.problem == ErrorKind.CHANGE_GIVEN_UP.key)
    assert WRONG in str(told.detail)
    assert not any(found.data_changes for found in organiser.all(RunFound))
    (again,) = workerbee(organiser.home, "run", "edit", RUN_ID, str(file), "--yes")
    assert again["changed"], "it is void, so that the same can be asked for once the server has the right file"
    organiser.wait_for(Warned, lambda each: each is not told and each.problem == ErrorKind.CHANGE_GIVEN_UP.key)


def exchange(organiser: Peer, peers: Sequence[Peer], wanted: RunManifest) -> int:
    """Have all peers learn from the data of that run; the epoch from which they do."""
    file = write_run_file(organiser.home / "run.toml", wanted)
    (told,) = workerbee(organiser.home, "run", "edit", RUN_ID, str(file), "--yes")
    assert any(line.startswith("data.files.0.url: ") for line in told["changes"])
    seen = [peer.wait_for(RunFound, lambda found: bool(found.data_changes)) for peer in peers]
    (begins,) = {found.data_changes[-1].from_epoch for found in seen}
    assert begins is not None and {found.manifest.data for found in seen} != {wanted.data}, "it stays as it was signed"
    for peer in peers:
        peer.wait_for(Evaluated, lambda told: told.epoch >= begins + LEARNED, seconds=CHANGED_SECONDS)
    return begins


def assert_others_since(peer: Peer, begins: int) -> None:
    """In the first epoch of the new text the loss on what is held out is that of a stranger to it, and falls then."""
    losses = {epoch: loss for epoch, loss in losses_of(peer).items() if loss is not None}
    before, after = [losses[each] for each in sorted(losses) if each < begins], losses[max(losses)]
    first = losses[min(epoch for epoch in losses if epoch >= begins)]
    assert first > before[-1] + 0.5 and after < first - 0.2, losses


@pytest.mark.parametrize("mode", ["gradients", "local-sgd"])
def test_all_learn_from_the_other_text_from_one_epoch_on_and_a_newcomer_reads_no_other(
    group: PeerGroup, server: FolderServer, mode: str
) -> None:
    published = run_of(text(server, "bees.txt"), mode=mode)
    organiser = group.organiser(manifest=published)
    peers = (organiser, group.volunteer(organiser.posted, "volunteer"))
    for peer in peers:
        peer.wait_for(RoundFinished, averaged)
    assert_others_that_nobody_could_have_are_not_signed(
        organiser, msgspec.structs.replace(published, data=wrong(server))
    )
    begins = exchange(organiser, peers, msgspec.structs.replace(published, data=text(server, NEW)))
    assert len(server.asked(NEW)) == len(peers)
    for peer in peers:
        assert_others_since(peer, begins)
    wait_for_equal_losses(peers, begins + 2)

    server.requests.clear()
    late = group.volunteer(organiser.posted, "late")
    late.wait_for(RoundFinished, averaged)
    wait_for_equal_losses((*peers, late), late.epoch)
    assert {path for path, _start in server.requests} == {f"/{NEW}"}
    assert not any(peer.all(Failed) for peer in (*peers, late))

    assert organiser.leave() == 0
    back = group.organiser(manifest=msgspec.structs.replace(published, data=text(server, NEW)), listen=_at(organiser))
    assert back.wait_for(Published).revision == 1, "the run with the data that hold is no other run"
    back.wait_for(RoundFinished, averaged)
    assert {path for path, _start in server.requests} == {f"/{NEW}"}


def test_a_text_from_elsewhere_is_refused_before_it_is_signed_and_who_is_shown_it_signed_leaves(
    group: PeerGroup, server: FolderServer, tmp_path: Path
) -> None:
    published = run_of(text(server, "bees.txt"))
    other = tmp_path / "other"
    other.mkdir()
    (other / NEW).write_bytes((server.folder / NEW).read_bytes())
    organiser = group.other_peer("home", "tests.support.learning.forging_organiser")
    home = tmp_path / "home"
    start = Publish(manifest=published, home=str(home / "data"), listen=(Multiaddr(LOOPBACK),), threads=1)
    organiser.stdin.write(encode(start))
    organiser.stdin.flush()
    volunteer = group.volunteer(organiser.wait_for(Published).addresses[0], "volunteer")
    with serving_folder(other) as elsewhere:
        moved = msgspec.structs.replace(published, data=text(elsewhere, NEW))
        refused = cli_process.workerbee(tmp_path, "run", "edit", RUN_ID, str(write_run_file(home / "run.toml", moved)))
        assert refused.code != 0 and "is not of a host, with its port, that the run names" in refused.err
        assert isinstance(moved.data, TextFiles)
        control = ControlValue(run_id=RUN_ID).exchanged(moved.data, published, time.time())
        ask_control(PeerFiles(home / "data" / "organiser" / RUN_ID), control)
        said = volunteer.wait_for(Failed, seconds=CHANGED_SECONDS)
        assert said.problem == ErrorKind.MANIFEST_REFUSED.key and "not what was agreed to" in str(said.detail)
        assert volunteer.ended() != 0
        assert _told_of_other_data(organiser), "it was signed all the same"


def _told_of_other_data(organiser: LineProcess[AnyEvent]) -> bool:
    return any(found.data_changes for found in organiser.all(RunFound))


def _at(organiser: Peer) -> tuple[str, ...]:
    """Where it has listened."""
    return (organiser.posted.partition("/p2p/")[0],)
