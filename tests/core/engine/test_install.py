"""The engine is made whole or not at all, whatever is cut, killed, full or wrong on the way."""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import cache_from_source
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from core.engine.file_lists import EngineFiles
from core.engine.install.events import Installed, InstallEvent, InstallFailed, InstallPaused, InstallProgress
from core.engine.install.index_lookup import WHEELS_VARIABLE
from core.engine.install.installer import EngineInstaller
from core.engine.installed import Engine, EngineDirectory
from core.errors import ErrorKind
from core.files.disk_space import disk_usage
from core.files.folders import Folders
from tests.support.engine_wheels import BALLAST_BYTES, OWN, small_engine
from tests.support.environment.package_index import WheelIndex, serving_wheels
from tests.support.environment.x11_desktop import wait_for

LIMIT_SECONDS = 120.0
_ALONE = """
import json, sys, threading
from pathlib import Path
import msgspec
from core.engine.file_lists import EngineFiles
from core.engine.install.installer import EngineInstaller
from core.files.folders import Folders
files = msgspec.json.decode(sys.argv[1], type=EngineFiles)
maker = EngineInstaller(files, Folders.below(Path(sys.argv[2])), print)
maker.start()
maker.wait(600)
"""


@dataclass
class Workshop:
    """A home without an engine, and an index that has what one is made of."""

    home: Path
    index: WheelIndex
    events: list[InstallEvent] = field(default_factory=list)

    @property
    def folders(self) -> Folders:
        """The person's."""
        return Folders.below(self.home)

    @property
    def place(self) -> EngineDirectory:
        """Where engines lie."""
        return EngineDirectory(self.folders.data)

    @property
    def part(self) -> Path:
        """What has come of the largest file while it is downloaded."""
        return self.place.work / "wheels" / "ballast-1.0-py3-none-any.whl.part"

    def offer(self, version: str = "1.0", *, works: bool = True) -> EngineFiles:
        """Files of that version, on the index."""
        return small_engine(self.index.folder, version, works=works)

    def attempt(self, files: EngineFiles, *, pause: bool = False) -> InstallEvent:
        """How an attempt to make it ends; one that is paused is paused while it downloads."""
        told: queue.SimpleQueue[InstallEvent] = queue.SimpleQueue()
        maker = EngineInstaller(files, self.folders, told.put)
        self.folders.prepare()
        maker.start()
        while True:
            event = told.get(timeout=LIMIT_SECONDS)
            self.events.append(event)
            if not isinstance(event, InstallProgress):
                assert maker.wait(LIMIT_SECONDS)
                return event
            if pause and event.phase == "downloading" and event.done_bytes > 100_000:
                maker.stop()


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workshop]:
    """Its index listens on loopback."""
    wheels = tmp_path / "index"
    wheels.mkdir()
    with serving_wheels(wheels) as index:
        monkeypatch.setenv(WHEELS_VARIABLE, index.url)
        yield Workshop(tmp_path / "home", index)


def assert_all_came(ended: InstallEvent) -> None:
    """It was downloaded, put together and tried; to have it work would take long."""
    assert isinstance(ended, InstallFailed) and ended.problem is ErrorKind.ENGINE_MISSING


@pytest.mark.slow
def test_an_engine_is_tried_before_it_is_used_and_the_old_one_stays_until_another_works(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    first, second = workshop.offer("1.0"), workshop.offer("2.0")
    assert workshop.attempt(first) == Installed()
    phases = list(dict.fromkeys(event.phase for event in workshop.events if isinstance(event, InstallProgress)))
    assert phases == ["looking", "downloading", "installing", "trying"]
    old = workshop.place.engine()
    assert old is not None and old.is_of(first) and not old.is_of(second)
    assert not workshop.place.work.exists()
    (library,) = old.folder.rglob(OWN)
    assert Path(cache_from_source(str(library))).exists(), "each start of a worker would compile it anew"

    assert workshop.attempt(second) == Installed()
    new = workshop.place.engine()
    assert new is not None and new.is_of(second)
    assert not old.folder.exists()

    ended = workshop.attempt(workshop.offer("3.0", works=False))
    assert isinstance(ended, InstallFailed) and ended.problem is ErrorKind.ENGINE_MISSING
    kept = workshop.place.engine()
    assert kept == new and new.python.exists()


@pytest.mark.slow
def test_a_newer_engine_downloads_what_has_changed_and_takes_over_the_rest(workshop: Workshop) -> None:
    first = workshop.offer("1.0")
    assert workshop.attempt(first) == Installed()
    second = msgspec.structs.replace(first, files=(first.files[0], workshop.offer("2.0").files[1]))
    workshop.index.asked.clear()
    assert workshop.attempt(second) == Installed(), "it works with the torch of the engine before"
    assert {name for name, _ in workshop.index.asked if name.endswith(".whl")} == {second.files[1].name}
    engine = workshop.place.engine()
    assert engine is not None and engine.is_of(second)
    (ballast,) = engine.folder.glob("lib/python3*/site-packages/ballast-*.dist-info")
    assert ballast.name == "ballast-2.0.dist-info"

    (borrowed,) = engine.folder.glob("lib/python3*/site-packages/borrowed.pth")
    borrowed.write_bytes(b"\n" * borrowed.stat().st_size)  # as a bad disk may leave it: of the right size
    third = msgspec.structs.replace(first, files=(first.files[0], workshop.offer("3.0").files[1]))
    assert workshop.attempt(third) == Installed(), "one that does not start is downloaded whole"
    assert first.files[0].name in {name for name, _ in workshop.index.asked}


def test_a_cut_download_is_said_and_goes_on_where_it_stopped(workshop: Workshop) -> None:
    files = workshop.offer(works=False)
    workshop.index.cut_at_bytes = BALLAST_BYTES // 2
    ended = workshop.attempt(files)
    assert isinstance(ended, InstallFailed) and ended.problem is ErrorKind.DOWNLOAD_CUT
    assert workshop.place.engine() is None
    assert workshop.part.stat().st_size >= BALLAST_BYTES // 2

    workshop.index.cut_at_bytes = None
    assert_all_came(workshop.attempt(files))
    asked = [begin for name, begin in workshop.index.asked if name.startswith("ballast")]
    assert asked[-1] >= BALLAST_BYTES // 2


def test_files_that_lie_on_another_host_are_fetched_and_go_on_there(workshop: Workshop) -> None:
    files = workshop.offer(works=False)
    workshop.index.redirects, workshop.index.cut_at_bytes = True, BALLAST_BYTES // 2
    workshop.attempt(files)
    workshop.index.cut_at_bytes = None
    assert_all_came(workshop.attempt(files))
    asked = [begin for name, begin in workshop.index.asked if name.startswith("ballast")]
    assert asked[-1] >= BALLAST_BYTES // 2


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_has_no_time_is_said_and_the_next_attempt_goes_on(workshop: Workshop, status: int) -> None:
    files = workshop.offer(works=False)
    workshop.index.errors = [status]
    ended = workshop.attempt(files)
    assert isinstance(ended, InstallFailed) and ended.problem is ErrorKind.DOWNLOAD_CUT
    assert f"the server answers {status}" in str(ended.detail)
    assert_all_came(workshop.attempt(files))


def test_a_paused_download_keeps_what_has_come(workshop: Workshop) -> None:
    files = workshop.offer()
    workshop.index.seconds_a_piece = 0.05
    assert workshop.attempt(files, pause=True) == InstallPaused()
    assert 0 < workshop.part.stat().st_size < BALLAST_BYTES


def test_a_wrong_file_is_thrown_away_in_words(workshop: Workshop) -> None:
    files = workshop.offer()
    wrong = msgspec.structs.replace(files.files[1], sha256="0" * 64)
    ended = workshop.attempt(msgspec.structs.replace(files, files=(files.files[0], wrong)))
    assert isinstance(ended, InstallFailed) and ended.problem is ErrorKind.DOWNLOAD_WRONG
    assert wrong.name in str(ended.detail)
    assert not workshop.part.exists() and not workshop.part.with_suffix("").exists()
    assert workshop.place.engine() is None


def test_an_index_that_is_not_there_is_a_cut_line(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    files = workshop.offer()
    monkeypatch.setenv(WHEELS_VARIABLE, "http://127.0.0.1:9/simple/")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    ended = workshop.attempt(files)
    assert isinstance(ended, InstallFailed) and ended.problem is ErrorKind.DOWNLOAD_CUT


def test_too_little_room_is_said_before_anything_is_downloaded(workshop: Workshop) -> None:
    files = workshop.offer()
    huge = msgspec.structs.replace(files.files[1], unpacked_bytes=20_000_000_000)
    ended = workshop.attempt(msgspec.structs.replace(files, files=(files.files[0], *[huge] * 500)))
    assert isinstance(ended, InstallFailed) and ended.problem is ErrorKind.DISK_FULL
    assert workshop.index.asked == []


def test_room_is_needed_for_what_is_fetched_only_and_not_for_what_nobody_wants_any_more(workshop: Workshop) -> None:
    first = workshop.offer()
    torch = first.files[0]
    old = workshop.place.folder / "old"
    (old / "bin").mkdir(parents=True)
    (old / "bin" / "python").touch()
    with zipfile.ZipFile(workshop.index.folder / torch.name) as wheel:
        wheel.extractall(old / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages")
    workshop.place.activate(Engine(old, workshop.place.write_metadata(old, first)))
    huge = msgspec.structs.replace(torch, unpacked_bytes=20_000_000_000)
    second = msgspec.structs.replace(first, files=(*[huge] * 500, workshop.offer("2.0").files[1]))
    former, part = (workshop.place.work / "wheels" / name for name in ("former.whl", f"{second.files[-1].name}.part"))
    former.parent.mkdir(parents=True)
    former.touch()
    part.write_bytes((workshop.index.folder / second.files[-1].name).read_bytes()[:1000])
    ended = workshop.attempt(second)
    assert not (isinstance(ended, InstallFailed) and ended.problem is ErrorKind.DISK_FULL)
    assert not former.exists() and (second.files[-1].name, 1000) in workshop.index.asked

    stray = workshop.place.work / "wheels" / "stray.whl"
    stray.parent.mkdir(parents=True, exist_ok=True)
    with stray.open("wb") as file:
        file.truncate(20_000_000_000 * 600)
    other = msgspec.structs.replace(huge, sha256="0" * 64)
    ended = workshop.attempt(msgspec.structs.replace(second, files=(*[other] * 500, second.files[-1])))
    assert isinstance(ended, InstallFailed) and ended.problem is ErrorKind.DISK_FULL


def test_room_that_a_former_attempt_holds_is_not_asked_for_again(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = workshop.offer(works=False)
    assert_all_came(workshop.attempt(files))
    size = files.disk_bytes + BALLAST_BYTES // 3
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=size - disk_usage(Path(path))))
    assert_all_came(workshop.attempt(files))


def test_a_disk_that_fills_up_meanwhile_is_said_and_the_attempt_may_be_repeated(workshop: Workshop) -> None:
    files = workshop.offer()
    little = tuple(
        msgspec.structs.replace(each, bytes=max(1, each.bytes - 900_000), unpacked_bytes=1) for each in files.files
    )
    workshop.folders.data.mkdir(parents=True)
    mounted = ["mount", "-t", "tmpfs", "-o", "size=2600k,mode=700", "tmpfs", str(workshop.folders.data)]
    if subprocess.run(mounted, capture_output=True).returncode != 0:
        pytest.skip("only root may make a small disk")
    try:
        ended = workshop.attempt(msgspec.structs.replace(files, files=little))
        assert isinstance(ended, InstallFailed) and ended.problem is ErrorKind.DISK_FULL
        assert workshop.place.engine() is None
    finally:
        subprocess.run(["umount", str(workshop.folders.data)], check=True)


def test_a_maker_that_is_killed_is_followed_by_one_that_goes_on(workshop: Workshop) -> None:
    files = workshop.offer(works=False)
    workshop.index.seconds_a_piece = 0.05
    words = [sys.executable, "-c", _ALONE, msgspec.json.encode(files).decode(), str(workshop.home)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as killed:
        wait_for(lambda: workshop.part.exists() and workshop.part.stat().st_size > 200_000, "a part")
        killed.kill()
    workshop.index.seconds_a_piece = 0.0
    assert_all_came(workshop.attempt(files))
    asked = [begin for name, begin in workshop.index.asked if name.startswith("ballast")]
    assert asked[-1] > 200_000


def test_two_makers_do_not_stand_in_each_others_way(workshop: Workshop) -> None:
    files = workshop.offer()
    with workshop.place.try_lock():
        ended = workshop.attempt(files)
    assert ended == InstallFailed(ErrorKind.ENGINE_BUSY)


def test_removing_leaves_nothing_but_is_refused_while_a_worker_runs(workshop: Workshop) -> None:
    folder = workshop.place.folder / "some"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    workshop.place.activate(Engine(folder, workshop.place.write_metadata(folder, workshop.offer())))
    engine = workshop.place.engine()
    assert engine is not None
    words = [str(engine.python), "-c", "print(flush=True); input()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None and worker.stdout.readline()  # a process has no command line as it starts
        with pytest.raises(Exception, match="in use"):
            workshop.place.remove()
        worker.communicate(b"\n")
    workshop.place.remove()
    assert workshop.place.engine() is None
    assert list(workshop.place.folder.iterdir()) == []


@pytest.mark.parametrize("metadata", ["", "{}", json.dumps({"build": "cpu", "python": "2.7", "fingerprint": "0" * 16})])
def test_an_engine_without_a_right_stamp_is_none(tmp_path: Path, metadata: str) -> None:
    place = EngineDirectory(tmp_path)
    folder = place.folder / "some"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()
    (folder / "engine.json").write_text(metadata)
    (place.folder / "current").write_text("some")
    assert place.engine() is None


def test_a_file_that_does_not_end_is_not_followed_to_its_end(workshop: Workshop) -> None:
    files = workshop.offer()
    short = msgspec.structs.replace(files.files[1], bytes=1000)
    ended = workshop.attempt(msgspec.structs.replace(files, files=(files.files[0], short)))
    assert isinstance(ended, InstallFailed) and ended.problem is ErrorKind.DOWNLOAD_WRONG


def test_the_same_versions_are_the_same_engine_and_others_are_not(tmp_path: Path) -> None:
    first, again = small_engine(tmp_path / "one"), small_engine(tmp_path / "two", works=False)
    assert first.files != again.files and first.fingerprint == again.fingerprint
    assert first.fingerprint != small_engine(tmp_path / "three", "2.0").fingerprint
