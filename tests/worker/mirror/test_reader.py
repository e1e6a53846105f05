"""A newcomer at the mirror: what is whole and fits is fetched; whatever else a mirror may be costs a warning."""

from __future__ import annotations

import dataclasses
import hashlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from torch import Tensor

from core.errors import ErrorKind
from core.files.locks import try_lock
from core.protocol.commands import MIRROR_ROUNDS
from core.records.published.mirror import INDEX_NAME
from core.security.address_guard import AddressGuard
from core.worker.fetch.file_store import FileStore
from core.worker.mirror import reader
from core.worker.mirror.index import file_name
from core.worker.mirror.reader import MirrorReader
from core.worker.mirror.writer import MirrorWriter
from core.worker.swarm import Version, check_state_file
from core.worker.swarm.local_sgd.outer_optimizer import version_of
from core.worker.swarm.local_sgd.state_file import MirrorUse, read_state_file, write_state_file
from tests.support.environment.fake_hub import ENDPOINT, Hub
from tests.support.environment.folder_server import FolderServer, serving_folder
from tests.support.recorders import RecordingListener
from tests.worker.mirror.mirrored_run import MirroredRun, start_thread

MAX_BYTES = 100_000
RUN_ID = "sums"


class Newcomer:
    """A peer with weights of its own that reads the mirror at that address."""

    def __init__(
        self, address: str, home: Path, patience_seconds: float = 60.0, guard: AddressGuard | None = None
    ) -> None:
        self.listener = RecordingListener()
        self.store = FileStore(home, guard=guard)
        self.reader = MirrorReader(address, RUN_ID, self.store, self.listener, patience_seconds)

    def fetch(self, expected: list[Tensor] | None = None) -> Path | None:
        """The file with the mirror's state."""
        return self.reader.fetch(expected or MirroredRun().state(), MAX_BYTES)

    @property
    def why(self) -> str:
        """The one reason why the mirror is not used."""
        ((problem, detail),) = self.listener.warned
        assert problem is ErrorKind.MIRROR_UNUSABLE
        return detail

    @property
    def kept(self) -> list[str]:
        """Whole files on the disk."""
        return [path.name for path in self.store.folder("files").iterdir() if path.is_file()]


@pytest.fixture
def run() -> MirroredRun:
    """One that has taken some rounds."""
    run = MirroredRun()
    run.take_rounds(6)
    return run


@pytest.fixture
def server(tmp_path: Path, run: MirroredRun) -> Iterator[FolderServer]:
    """The run's mirror, on a web server."""
    writer = MirrorWriter(tmp_path / "www", RUN_ID, run.as_optimizer, MIRROR_ROUNDS, print, start_thread)
    writer.refresh(9)
    writer.wait()
    with serving_folder(tmp_path / "www") as serving:
        yield serving


@pytest.fixture
def newcomer(server: FolderServer, tmp_path: Path) -> Newcomer:
    return Newcomer(server.address, tmp_path / "home")


def index_of(server: FolderServer) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.json.decode((server.folder / INDEX_NAME).read_bytes())
    return told


def tell(server: FolderServer, **changes: Any) -> None:
    """Let the index say something else."""
    (server.folder / INDEX_NAME).write_bytes(msgspec.json.encode(index_of(server) | changes))


def offer(server: FolderServer, tensors: list[Tensor]) -> None:
    """Mirror that state in place of the true one, with an index that tells the truth of it."""
    middle = len(tensors) // 2
    version = version_of(tensors[:middle], tensors[middle].nan_to_num(), tensors[middle + 1 :])
    size, sha256 = write_state_file(server.folder / file_name(version), tensors, {})
    steps, root = version[0], version[1].hex()
    tell(server, file=file_name(version), size_bytes=size, sha256=sha256, outer_steps=steps, root=root)


def test_the_state_of_the_mirror_is_fetched(newcomer: Newcomer, run: MirroredRun, server: FolderServer) -> None:
    path = newcomer.fetch()
    assert path is not None
    assert all(map(torch.equal, read_state_file(path, MirroredRun().state()), run.state()))
    size = index_of(server)["size_bytes"]
    assert newcomer.listener.told[-1] == (size, size)
    assert newcomer.listener.warned == []
    assert server.requests == [("/index.json", 0), (f"/{index_of(server)['file']}", 0)]


def test_an_address_may_end_with_a_slash_or_not(server: FolderServer, tmp_path: Path) -> None:
    assert Newcomer(server.address.rstrip("/"), tmp_path / "home").fetch() is not None


def test_a_folder_of_a_hubs_repository_is_a_mirror(hub: Hub, server: FolderServer, tmp_path: Path) -> None:
    files = {path.name: path.read_bytes() for path in server.folder.iterdir()}
    hub.publish("model", "me/my-run", files)
    newcomer = Newcomer(f"{ENDPOINT}/me/my-run/resolve/main/", tmp_path / "home")
    assert newcomer.fetch() is not None and newcomer.listener.warned == []
    hub.publish("model", "me/my-run", files | {INDEX_NAME: b"{}"})
    assert Newcomer(f"{ENDPOINT}/me/my-run/resolve/main/", tmp_path / "other").fetch() is None


def test_a_download_that_was_cut_goes_on_where_it_stopped(newcomer: Newcomer, server: FolderServer) -> None:
    server.cuts = [10_000, 1000]  # the index is whole
    assert newcomer.fetch() is not None
    assert server.asked(".safetensors") == [0, 1000]


def test_an_index_that_was_cut_is_read_anew_from_its_first_byte(newcomer: Newcomer, server: FolderServer) -> None:
    server.cuts = [100]
    assert newcomer.fetch() is not None and newcomer.listener.warned == []
    assert server.asked(INDEX_NAME) == [0, 0]


@pytest.mark.parametrize("status", [429, 503])
def test_a_mirror_that_has_no_time_is_asked_once_more_then_given_up(
    newcomer: Newcomer, server: FolderServer, tmp_path: Path, status: int
) -> None:
    server.errors = [status]
    assert newcomer.fetch() is not None and newcomer.listener.warned == []
    server.errors, late = [status] * 3, Newcomer(server.address, tmp_path / "late")
    assert late.fetch() is None
    assert "it does not answer" in late.why


@pytest.mark.parametrize("use", [MirrorUse.USED, MirrorUse.NOT_NEEDED])
def test_a_state_that_is_not_needed_any_more_is_removed_from_the_disk(newcomer: Newcomer, use: MirrorUse) -> None:
    path = newcomer.fetch()
    assert path is not None
    assert len(newcomer.kept) == 1
    newcomer.reader.release(use)
    assert newcomer.kept == []
    assert newcomer.listener.warned == []


def test_a_state_that_nobody_could_try_is_kept_for_the_next_download(newcomer: Newcomer, server: FolderServer) -> None:
    path = newcomer.fetch()
    newcomer.reader.release(MirrorUse.UNTRIED)
    assert newcomer.listener.warned == []
    assert newcomer.fetch() == path
    assert server.asked(".safetensors") == [0]


def test_an_older_state_that_was_kept_gives_way_to_a_newer_one(
    newcomer: Newcomer, server: FolderServer, run: MirroredRun
) -> None:
    newcomer.fetch()
    newcomer.reader.release(MirrorUse.UNTRIED)
    tensors = [tensor + 1 for tensor in run.state()]
    offer(server, tensors)
    path = newcomer.fetch()
    assert path is not None
    assert all(map(torch.equal, read_state_file(path, MirroredRun().state()), tensors))
    assert newcomer.kept == [path.name]


def test_a_state_from_which_no_round_leads_is_said_and_the_mirror_not_asked_again(
    newcomer: Newcomer, server: FolderServer
) -> None:
    path = newcomer.fetch()
    assert path is not None
    newcomer.reader.release(MirrorUse.REFUTED)
    assert "no round leads" in newcomer.why
    assert newcomer.kept == []
    asked = len(server.requests)
    assert newcomer.fetch() is None
    assert len(server.requests) == asked


def test_a_mirror_that_is_gone_is_no_use(newcomer: Newcomer, server: FolderServer) -> None:
    (server.folder / INDEX_NAME).unlink()
    assert newcomer.fetch() is None
    assert "404" in newcomer.why


def test_nobody_listens_there(tmp_path: Path) -> None:
    newcomer = Newcomer("http://127.0.0.1:9/", tmp_path)
    assert newcomer.fetch() is None
    assert "does not answer" in newcomer.why


def test_a_mirror_that_hangs_is_given_up(server: FolderServer, tmp_path: Path) -> None:
    server.hangs = True
    newcomer = Newcomer(server.address, tmp_path / "home", patience_seconds=0.5)
    assert newcomer.fetch() is None
    assert "it sends nothing, or too slowly" in newcomer.why


def test_whoever_waits_for_another_worker_that_fetches_the_file_gives_no_mirror_up(
    server: FolderServer, tmp_path: Path
) -> None:
    newcomer, file = Newcomer(server.address, tmp_path / "home", patience_seconds=1.0), index_of(server)["file"]
    target = newcomer.store.folder("files") / index_of(server)["sha256"]
    claimed = try_lock(target.with_name(f"{target.name}.part"))
    assert claimed is not None

    def fetch_as_another() -> None:
        time.sleep(2.0)
        shutil.copy(server.folder / file, target)
        claimed.release()

    start_thread("another worker", fetch_as_another)
    assert newcomer.fetch() == target
    assert newcomer.listener.warned == [] and server.asked(".safetensors") == []


def test_a_state_that_takes_long_to_read_is_no_slow_mirrors(
    server: FolderServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check_slowly(path: Path, expected: list[Tensor]) -> Version:
        time.sleep(2.0)
        return check_state_file(path, expected)

    monkeypatch.setattr(reader, "check_state_file", check_slowly)
    newcomer = Newcomer(server.address, tmp_path / "home", patience_seconds=1.0)
    assert newcomer.fetch() is not None and newcomer.listener.warned == []


def test_whoever_leaves_meanwhile_waits_for_no_mirror(newcomer: Newcomer, server: FolderServer) -> None:
    server.hangs = True
    newcomer.listener.is_leaving = True
    with pytest.raises(KeyboardInterrupt):
        newcomer.fetch()


@pytest.mark.parametrize("index", [b"", b"{", b"[]", b"{}", b"<html>", b"[" * 4000, b"\xff\xfe", b" " * 5000])
def test_an_index_that_is_nonsense_is_refused(newcomer: Newcomer, server: FolderServer, index: bytes) -> None:
    (server.folder / INDEX_NAME).write_bytes(index)
    assert newcomer.fetch() is None
    assert newcomer.why.startswith(server.address.rstrip("/"))


@pytest.mark.parametrize(
    "file", ["http://127.0.0.1:9/6-aa.safetensors", "../secret.safetensors", "//host/6", "/etc/passwd"]
)
def test_an_index_leads_nowhere_else(newcomer: Newcomer, server: FolderServer, file: str) -> None:
    (server.folder.parent / "secret.safetensors").write_bytes(b"")
    tell(server, file=file)
    assert newcomer.fetch() is None
    assert "index cannot be read" in newcomer.why
    assert [path for path, _ in server.requests] == ["/index.json"]


def test_the_state_of_another_run_is_refused(newcomer: Newcomer, server: FolderServer) -> None:
    tell(server, run_id="images")
    assert newcomer.fetch() is None
    assert "another run" in newcomer.why


def test_a_state_larger_than_any_of_the_run_is_not_fetched(newcomer: Newcomer, server: FolderServer) -> None:
    tell(server, size_bytes=10_000_000_000)
    assert newcomer.fetch() is None
    assert "10000000000 bytes, more than any" in newcomer.why
    assert server.asked(".safetensors") == []


def test_a_file_of_another_size_is_refused(newcomer: Newcomer, server: FolderServer) -> None:
    tell(server, size_bytes=index_of(server)["size_bytes"] - 1)
    assert newcomer.fetch() is None
    assert "should have" in newcomer.why


def test_a_file_of_another_hash_is_refused(newcomer: Newcomer, server: FolderServer) -> None:
    tell(server, sha256=hashlib.sha256(b"another").hexdigest())
    assert newcomer.fetch() is None
    assert "its digest is" in newcomer.why
    assert newcomer.kept == []


def test_a_file_that_is_no_safetensors_is_refused(newcomer: Newcomer, server: FolderServer) -> None:
    wrong = b"\x80\x04 a pickle, perhaps"
    (server.folder / index_of(server)["file"]).write_bytes(wrong)
    tell(server, size_bytes=len(wrong), sha256=hashlib.sha256(wrong).hexdigest())
    assert newcomer.fetch() is None
    assert "no file of safetensors" in newcomer.why
    assert newcomer.kept == []


def test_a_state_of_other_shapes_is_refused(newcomer: Newcomer, server: FolderServer, run: MirroredRun) -> None:
    weights, *others = run.state()
    offer(server, [weights.T.contiguous(), *others])
    assert newcomer.fetch() is None
    assert "not those of the run's model" in newcomer.why


def test_a_state_with_too_few_tensors_is_refused(newcomer: Newcomer, server: FolderServer, run: MirroredRun) -> None:
    state = run.state()
    offer(server, [*state[:2], state[3], *state[4:6]])
    assert newcomer.fetch() is None
    assert "not those of the run's model" in newcomer.why


@pytest.mark.parametrize("place", [0, 3, 5])
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_state_that_is_not_finite_is_refused(
    newcomer: Newcomer, server: FolderServer, run: MirroredRun, place: int, value: float
) -> None:
    state = run.state()
    state[place].view(-1)[0] = value
    if place == 3:  # whose version cannot be told
        write_state_file(server.folder / "wrong", state, {})
        encoded = (server.folder / "wrong").read_bytes()
        (server.folder / index_of(server)["file"]).write_bytes(encoded)
        tell(server, size_bytes=len(encoded), sha256=hashlib.sha256(encoded).hexdigest())
    else:
        offer(server, state)
    assert newcomer.fetch() is None
    assert "not a number" in newcomer.why


def test_weights_of_another_version_than_was_told_are_refused(
    newcomer: Newcomer, server: FolderServer, run: MirroredRun
) -> None:
    told = index_of(server)
    run.take_rounds(1)
    offer(server, run.state())
    changed = index_of(server)
    (server.folder / changed["file"]).rename(server.folder / told["file"])
    tell(server, **told | {name: changed[name] for name in ("size_bytes", "sha256")})
    assert newcomer.fetch() is None
    assert "another version" in newcomer.why


def test_a_run_on_the_internet_gets_nothing_from_the_home_network(server: FolderServer, tmp_path: Path) -> None:
    newcomer = Newcomer(server.address, tmp_path / "home", guard=AddressGuard())
    assert newcomer.fetch() is None
    assert "your own network" in newcomer.why
    assert server.requests == []


def test_a_mirror_larger_than_the_volunteers_limit_is_not_fetched(newcomer: Newcomer, server: FolderServer) -> None:
    newcomer.store = dataclasses.replace(newcomer.store, limit_bytes=1000)
    newcomer.reader = MirrorReader(server.address, RUN_ID, newcomer.store, newcomer.listener)
    assert newcomer.fetch() is None
    assert "of your limit are left" in newcomer.why
    assert server.asked(".safetensors") == []
