"""The mirror's folder as the organiser's peer writes it: the newest state, the one before, and the index."""

from __future__ import annotations

import errno
import logging
import re
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from core.files.atomic import storage_problem, write_atomically
from core.protocol.events import AnyEvent, Warned
from core.records.published.mirror import INDEX_NAME
from core.worker.mirror.index import MirrorIndex, decode_index, file_name
from core.worker.process.supervisor import StartThread
from core.worker.swarm import LocalSgdOptimizer, write_state_file

_OURS = re.compile(r"\.?[0-9]+-[0-9a-f]{32}\.safetensors(\..*\.tmp)?\Z")  # with what an interrupted write has left

log = logging.getLogger(__name__)


class MirrorWriter:
    """Keeps the run's state in a folder, for a web server; written in the background from a copy.

    It is written anew ``every`` so many rounds. What is left of the four in a round log is for upload and download.
    A write that ends with the process leaves what was there before, and a file that the next one removes.
    ``emit`` is told, once, that a disk is full or refuses; training goes on, and the next round's state is tried.
    """

    def __init__(
        self,
        folder: Path,
        run_id: str,
        optimizer: LocalSgdOptimizer,
        every: int,
        emit: Callable[[AnyEvent], None],
        start_thread: StartThread,
    ) -> None:
        self._folder, self._run_id, self._optimizer = folder, run_id, optimizer
        self._every, self._emit, self._start_thread = every, emit, start_thread
        self._writing: threading.Thread | None = None
        self._written_steps = 0
        self._has_warned = False

    def refresh(self, epoch: int) -> None:
        """Start to write the state of this epoch if it is due, and no write is running; returns at once."""
        moved = abs(self._optimizer.outer.version()[0] - self._written_steps)  # steps begin anew after a restart
        if moved >= self._every and (self._writing is None or not self._writing.is_alive()):
            self._writing = self._start_thread("mirror", lambda: self._refresh(epoch))

    def wait(self) -> None:
        """Wait until no write is running."""
        if self._writing is not None:
            self._writing.join()

    def _refresh(self, epoch: int) -> None:
        try:
            index = self._write(epoch)
        except OSError as error:
            problem = storage_problem(error, self._folder)
            log.warning("the mirror is not written: %s", problem.detail)
            if not self._has_warned:
                self._emit(Warned(problem=problem.problem.key, detail=problem.detail))
            self._has_warned = True
        else:
            log.info("the mirror holds %s, %d bytes", index.file, index.size_bytes)
            self._written_steps, self._has_warned = index.outer_steps, False

    def _write(self, epoch: int) -> MirrorIndex:
        """Write state, then index; before them all but the present state is removed. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        present = self._present_index()
        if present is not None and present.run_id != self._run_id:
            raise OSError(errno.EEXIST, f"it holds the mirror of the run “{present.run_id}”")
        for path in self._folder.iterdir():
            if _OURS.match(path.name) and (present is None or path.name != present.file):
                path.unlink(missing_ok=True)
        version, tensors = self._optimizer.copied_state()
        name, (steps, root) = file_name(version), (version[0], version[1].hex())
        about = {"run_id": self._run_id, "epoch": str(epoch)}
        size, sha256 = write_state_file(self._folder / name, tensors, about)
        index = MirrorIndex(
            run_id=self._run_id, file=name, size_bytes=size, sha256=sha256, epoch=epoch, outer_steps=steps, root=root
        )
        write_atomically(self._folder / INDEX_NAME, msgspec.json.encode(index), mode=0o644)
        return index

    def _present_index(self) -> MirrorIndex | None:
        """The index in the folder; ``None`` where there is none that can be read. Raises OSError."""
        try:
            return decode_index((self._folder / INDEX_NAME).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
