"""An expert on its host's disk, as safetensors: its weights and AdamW's statistics, so that a crash costs little."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import msgspec
from safetensors.torch import load, save
from torch import Tensor

from core.files.atomic import quarantine, write_atomically
from core.schema import UNREADABLE
from core.worker.experts.block import ExpertId
from core.worker.experts.hosted_expert import HostedExpert

MAX_HEADER_BYTES = 16 * 1024

log = logging.getLogger(__name__)


class _Header(msgspec.Struct):
    """The part of a safetensors header that is not about tensors."""

    metadata: dict[str, str] = msgspec.field(name="__metadata__", default_factory=dict)


class ExpertFiles:
    """The files of a host's experts of one run, in a folder that is made when the first one is written.

    Beside its own experts there are copies of others' in it; ``copies`` are their steps.
    """

    def __init__(self, folder: Path, run_id: str) -> None:
        self._folder, self._run_id = folder, run_id
        self._written: dict[ExpertId, int] = {}  # the steps of each that are on disk
        self.copies: dict[ExpertId, int] = {}
        self._lock = threading.Lock()

    def read(self, expert: HostedExpert) -> None:
        """Have the expert go on where its file or its copy ends, the newer one; a damaged one is moved aside."""
        self._read_from(self._path(expert.id), expert)
        if self.copies.get(expert.id, 0) > expert.steps:
            self._read_from(self._copy_path(expert.id), expert)

    def write_copy(self, expert: HostedExpert, data: bytes) -> None:
        """Keep the file of another host's expert as a copy, which ``expert`` has gone on from. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._copy_path(expert.id), data)
        with self._lock:
            self.copies = {**self.copies, expert.id: expert.steps}

    def copy_of(self, expert: ExpertId) -> bytes | None:
        """The file of a copy, if there is one."""
        try:
            return self._copy_path(expert).read_bytes() if expert in self.copies else None
        except OSError:
            return None

    def data_of(self, expert: HostedExpert) -> bytes:
        """What its file holds when it is written now."""
        return save(expert.whole_state(), {"run_id": self._run_id, "steps": str(expert.steps)})

    def restore(self, expert: HostedExpert, data: bytes) -> None:
        """Have the expert go on where the file of these bytes ends; raises ValueError."""
        restore(expert, data, self._run_id)

    def _read_from(self, path: Path, expert: HostedExpert) -> None:
        if not path.exists():
            return
        try:
            with path.open("rb") as file:
                self.restore(expert, file.read())
        except (OSError, ValueError) as error:
            log.warning("the file of expert %s is moved aside: %s", expert.id, error)
            quarantine(path)
        else:
            self._written[expert.id] = expert.steps

    def write(self, expert: HostedExpert) -> None:
        """Write it, if it has learned anything since. A disk that takes nothing is logged, and tried again."""
        if self._written.get(expert.id, 0) == expert.steps:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path(expert.id), self.data_of(expert))
        except OSError as error:
            log.warning("expert %s cannot be saved: %s", expert.id, error)
        else:
            self._written[expert.id] = expert.steps

    def _path(self, expert: ExpertId) -> Path:
        return self._folder / f"expert-{expert.layer}-{expert.number}.safetensors"

    def _copy_path(self, expert: ExpertId) -> Path:
        return self._folder / f"copy-{expert.layer}-{expert.number}.safetensors"


def restore(expert: HostedExpert, data: bytes, run_id: str) -> None:
    """Have the expert go on where the file of these bytes ends; raises ValueError."""
    metadata = metadata_in(data)
    if metadata.get("run_id") != run_id:
        raise ValueError("it belongs to another run")
    expert.restore(tensors_of(data), int(metadata.get("steps", "")))


def tensors_of(data: bytes) -> dict[str, Tensor]:
    """The tensors in safetensors by their names; raises ValueError for anything else."""
    try:
        return load(data)
    except Exception as error:  # PyTorch raises several for shapes such as [0, 2**63], which safetensors accepts
        raise ValueError(str(error)) from error


def metadata_in(data: bytes) -> dict[str, str]:
    """The metadata in the header of safetensors; raises ValueError for anything else."""
    length = int.from_bytes(data[:8], "little")
    if length > MAX_HEADER_BYTES:
        raise ValueError("its header is too long")
    try:
        return msgspec.json.decode(data[8 : 8 + length], type=_Header).metadata
    except UNREADABLE as error:
        raise ValueError(f"its header cannot be read: {error}") from error
