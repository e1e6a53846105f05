"""The last checkpoints of a run, side by side in one folder: a bad one must not be the only one that is left.

The newest is ``checkpoint.safetensors``; those before it have their epoch in their name. They are as old as their
files, not as their epochs: whoever has gone back to an earlier one has newer files of earlier epochs.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from core.files.atomic import link_or_copy, sync_folder
from core.records.published.checkpoint_header import KeptCheckpoint, read_header
from core.run.steering.rollback import Rollback

KEPT = 5  # checkpoints, the newest included; and that with the least loss


class CheckpointHistory:
    """The checkpoints beside the newest, which is at ``newest``."""

    def __init__(self, newest: Path) -> None:
        self._newest = newest
        self._name = re.compile(rf"{re.escape(newest.stem)}-(\d+){re.escape(newest.suffix)}")

    def all(self) -> list[KeptCheckpoint]:
        """Those that can be read, the newest first."""
        found = [read_header(path) for path in self.files()]
        return [each for each in found if each is not None]

    def files(self) -> list[Path]:
        """The files of all, also of those that cannot be read, the newest first."""
        return [path for path in [self._newest, *self._older()] if path.exists()]

    @contextlib.contextmanager
    def adding(self) -> Iterator[None]:
        """While this lasts another one is written in place of the newest, which is kept beside it.

        Those that are too many are removed then. Where it fails, all is as before. Raises OSError.
        """
        before = read_header(self._newest) if self._newest.exists() else None
        held = self._newest.with_name(f".{self._newest.name}.held.tmp")
        try:
            if before is not None:
                link_or_copy(self._newest, held)
            yield
            if before is not None:
                held.replace(self._beside(before))
                sync_folder(held.parent)  # else a power cut leaves it as what an interrupted save has left
        finally:
            held.unlink(missing_ok=True)
        self._remove_oldest()

    def _remove_oldest(self) -> None:
        older = [each for each in self.all() if each.path != self._newest]
        best = min((each for each in older if each.loss is not None), key=lambda each: each.loss or 0.0, default=None)
        kept = {each.path for each in older[: KEPT - 1]} | ({best.path} if best is not None else set())
        for path in self._older():
            if path not in kept:
                path.unlink(missing_ok=True)

    def of_epoch(self, epoch: int) -> KeptCheckpoint | None:
        """The youngest of that epoch; from now on it is the youngest of all beside the newest. Raises OSError."""
        found = next((each for each in self.all() if each.epoch == epoch), None)
        if found is not None:
            os.utime(found.path)
        return found

    def go_back(self, rollback: Rollback) -> bool:
        """Make the checkpoint that a rollback goes back to the newest, unless one has been saved since; keep what was.

        False where there is none, or another of that epoch. Raises OSError.
        """
        checkpoints = self.all()
        if any(each.rollback == rollback.number for each in checkpoints):
            return True
        of_epoch = (each for each in checkpoints if each.epoch == rollback.epoch)
        found = next((each for each in of_epoch if file_hash(each.path) == rollback.sha256), None)
        if found is not None:
            self.make_newest(found)
        return found is not None

    def make_newest(self, chosen: KeptCheckpoint) -> None:
        """Put that one in place of the newest, which is kept beside it. Raises OSError."""
        if chosen.path != self._newest:
            newest = read_header(self._newest) if self._newest.exists() else None
            if newest is not None:
                link_or_copy(self._newest, self._beside(newest))
            chosen.path.replace(self._newest)
            os.utime(self._newest)

    def _beside(self, newest: KeptCheckpoint) -> Path:
        """Where the newest stays when it no longer is."""
        return self._newest.with_stem(f"{self._newest.stem}-{newest.epoch}")

    def _older(self) -> list[Path]:
        """Their files, the newest first."""
        folder = self._newest.parent
        paths = [path for path in (folder.iterdir() if folder.is_dir() else ()) if self._name.fullmatch(path.name)]
        return sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)


def file_hash(path: Path) -> str:
    """The SHA-256 of a checkpoint's file, in hexadecimal; raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
