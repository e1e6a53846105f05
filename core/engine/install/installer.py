"""Makes an engine: download, put together aside, start once, and only then use it."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from core.engine.file_lists import EngineFile, EngineFiles
from core.engine.install.events import (
    Installed,
    InstallEvent,
    InstallFailed,
    InstallPaused,
    InstallProgress,
    TransferRate,
)
from core.engine.install.index_lookup import find_sources
from core.engine.install.reuse import fetched_files, link_libraries, unchanged_files
from core.engine.install.smoke_test import smoke_test
from core.engine.install.uv import UvFailedError, assemble, find_uv, make_environment
from core.engine.install.wheel_download import StoppedError, download
from core.engine.installed import Engine, EngineDirectory
from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.files.folders import Folders
from core.localizable import localized

_TELL_SECONDS = 0.25
_FULL_WORDS = ("No space left on device", "os error 28", "Disk quota exceeded")
_log = logging.getLogger(__name__)


class EngineInstaller:
    """One attempt to install an engine, in a thread of its own; ``post`` is called from it, at last with the outcome.

    An attempt that was stopped, or has failed, or whose process was killed, is followed by another: downloads
    go on where they were, and what was being put together begins anew.
    """

    def __init__(self, files: EngineFiles, folders: Folders, post: Callable[[InstallEvent], None]) -> None:
        self._files, self._logs, self._post = files, folders.logs, post
        self._place = EngineDirectory(folders.data)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="engine-maker", daemon=True)
        self._rate, self._told_at, self._total = TransferRate(), 0.0, files.download_bytes

    def start(self) -> None:
        """Start the attempt in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Stop soon, and keep what was downloaded; ``post`` is called with InstallPaused then."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait that many seconds for the end of the attempt; whether it has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        self._post(self._outcome())

    def _outcome(self) -> InstallEvent:
        try:
            with self._place.try_lock():
                self._make()
            return Installed()
        except StoppedError:
            return InstallPaused()
        except UserError as error:
            return InstallFailed(error.problem, error.detail)
        except UvFailedError as error:
            _log.warning("uv: %s", error)
            return _uv_failure(str(error))
        except OSError as error:
            refused = storage_problem(error, self._place.folder)
            return InstallFailed(refused.problem, refused.detail)
        except Exception:
            _log.exception("the engine could not be made")
            return InstallFailed(ErrorKind.INTERNAL, localized("The log is in %1.", self._logs))

    def _make(self) -> None:
        uv = find_uv()
        if uv is None:
            raise UserError(ErrorKind.ENGINE_NOT_ASSEMBLED, localized("The program uv is not there."))
        work = self._place.work
        work.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._place.sweep()
        reused = unchanged_files(self._place.engine(), self._files)
        try:
            self._build(uv, work, reused)
        except UserError as error:
            if error.problem is not ErrorKind.ENGINE_MISSING or not reused:
                raise
            _log.warning("the engine does not start with libraries of the one before: all of it is downloaded")
            self._build(uv, work, ())

    def _build(self, uv: Path, work: Path, reused: tuple[EngineFile, ...]) -> None:
        """With those libraries of the engine in use; raises UserError (ENGINE_MISSING) where it does not start."""
        fetched = fetched_files(self._files, reused)
        self._make_room(work, fetched)
        wheels = self._download(uv, work, fetched)
        self._post(InstallProgress("installing"))
        aside = work / f"engine-{time.time_ns():x}"  # a killed maker's uv may still write into its own
        make_environment(uv, aside, work, self._stop)
        if reused and (old := self._place.engine()) is not None:
            link_libraries(reused, old.folder, aside)
        assemble(fetched, uv, aside, work, wheels, self._stop)
        self._post(InstallProgress("trying"))
        smoke_test(aside / "bin" / "python", self._logs, self._stop)
        self._use(aside)

    def _use(self, aside: Path) -> None:
        metadata = self._place.write_metadata(aside, self._files)
        engine = Engine(aside.rename(self._place.new_folder(self._files)), metadata)
        self._place.activate(engine)
        shutil.rmtree(self._place.work, ignore_errors=True)
        self._place.sweep()

    def _make_room(self, work: Path, fetched: EngineFiles) -> None:
        """Remove what former attempts have left and nobody wants; raises UserError (DISK_FULL).

        That is said before hours of download instead of after. Links to an old engine's libraries take no room.
        """
        for left in (*work.glob("engine-*"), work / "cache"):  # uv unpacks into its cache, and links from there
            shutil.rmtree(left, ignore_errors=True)
        present = {each: each.name.removesuffix(".part") for each in (work / "wheels").glob("*")}
        wanted = {each.name for each in self._files.downloaded}
        for path in (path for path, name in present.items() if name not in wanted):
            path.unlink(missing_ok=True)
        names = {each.name for each in fetched.downloaded}
        have = sum(path.stat().st_size for path, name in present.items() if name in names)
        missing = fetched.disk_bytes - have - shutil.disk_usage(work).free
        if missing > 0:
            detail = localized("%1: %2 GB more are needed.", self._place.folder, f"{missing / 1e9:.1f}")
            raise UserError(ErrorKind.DISK_FULL, detail)

    def _download(self, uv: Path, work: Path, fetched: EngineFiles) -> Path:
        wheels = work / "wheels"
        wheels.mkdir(exist_ok=True)
        done, self._total = 0, fetched.download_bytes
        missing = [each for each in fetched.downloaded if not (wheels / each.name).is_file()]
        self._post(InstallProgress("looking", total_bytes=self._total))
        addresses = find_sources(fetched, uv, work, self._stop) if missing else {}
        for file in fetched.downloaded:
            if file in missing:
                if file.name not in addresses:
                    raise UserError(ErrorKind.DOWNLOAD_WRONG, localized("Nobody offers %1.", file.name))
                download(file, addresses[file.name], wheels, partial(self._received, done))
            done += file.bytes
            self._tell(done)
        return wheels

    def _received(self, before: int, have: int) -> None:
        self._tell(before + have)
        if self._stop.is_set():
            raise StoppedError

    def _tell(self, done: int) -> None:
        now = time.monotonic()
        self._rate.add(now, done)
        if now - self._told_at >= _TELL_SECONDS:
            self._told_at = now
            self._post(InstallProgress("downloading", min(done, self._total), self._total, self._rate.bytes_per_second))


def _uv_failure(said: str) -> InstallFailed:
    """What it meant, as far as that can be told; the log has all of it."""
    last = said.splitlines()[-1][:300] if said else ""
    if any(words in said for words in _FULL_WORDS):
        return InstallFailed(ErrorKind.DISK_FULL, last)
    is_network = any(words in said for words in ("error sending request", "Failed to fetch", "dns error"))
    return InstallFailed(ErrorKind.DOWNLOAD_CUT if is_network else ErrorKind.ENGINE_NOT_ASSEMBLED, last)
