"""An expert on its host's disk, as safetensors: its weights and AdamW's statistics, so that a crash costs little."""

from __future__ import annotations

import heapq
import logging
import re
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from safetensors.torch import load, save
from torch import Tensor

from core.files.atomic import quarantine, write_atomically
from core.schema import UNREADABLE
from core.worker.experts.block import ExpertId
from core.worker.experts.hosted_expert import MOST_STEPS, HostedExpert

MAX_HEADER_BYTES = 16 * 1024
MAX_COPIES = 256  # that are kept and told; as many may be what was left
_LENGTH_BYTES = 8  # of the header's length, before it
_NAME = re.compile(r"(?:expert|copy)-(\d+)-(\d+)\.safetensors")

log = logging.getLogger(__name__)


class _Header(msgspec.Struct):
    """The part of a safetensors header that is not about tensors."""

    metadata: dict[str, str] = msgspec.field(name="__metadata__", default_factory=dict)


@dataclass(frozen=True)
class _Copy:
    """The file of an expert for which this process does not answer; ``is_left`` by who has answered for it before."""

    steps: int
    path: Path
    is_left: bool = False


class ExpertFiles:
    """The files of a host's experts of one run, in a folder that is made when the first one is written.

    Beside its own experts there are copies of others' in it. What an earlier process of this host has left there, of
    its own or of others, or this one of an expert that it has dropped, stands for a copy until this one answers for the
    expert, or fetches a newer copy.
    """

    def __init__(self, folder: Path, run_id: str) -> None:
        self._folder, self._run_id = folder, run_id
        self._written: dict[ExpertId, int] = {}  # the steps of each that are in its own file
        self._copies: dict[ExpertId, _Copy] = {}
        for expert, steps, path in sorted(self._left(), key=lambda each: each[1]):
            self._copies[expert] = _Copy(steps, path, is_left=True)
        self._lock = threading.Lock()

    def copies(self, orphans: Collection[ExpertId] = ()) -> dict[ExpertId, int]:
        """The steps of each copy; what was left counts for ``orphans``, which nobody answers for, the newest first.

        Of any other expert its host has a newer state, and must not leave it to a peer with that old one.
        """
        copies = {expert: copy.steps for expert, copy in self._copies.items() if not copy.is_left}
        left = ((each, copy.steps) for each, copy in self._copies.items() if copy.is_left and each in orphans)
        return copies | dict(heapq.nlargest(MAX_COPIES, left, key=lambda each: each[1]))

    def steps_of_copy(self, expert: ExpertId) -> int:
        """How many steps the newest copy has, also one that was left; 0 without any."""
        copy = self._copies.get(expert)
        return 0 if copy is None else copy.steps

    def read(self, expert: HostedExpert) -> None:
        """Have the expert go on where its file or its copy ends, the newer one; a damaged one is moved aside."""
        if self._has_read(self._path(expert.id), expert):
            self._written[expert.id] = expert.steps
        if self.steps_of_copy(expert.id) > expert.steps:
            self._has_read(self._copy_path(expert.id), expert)
        with self._lock:
            self._copies = {each: copy for each, copy in self._copies.items() if each != expert.id or not copy.is_left}

    def write_copy(self, expert: HostedExpert, data: bytes) -> None:
        """Keep the file of another host's expert as a copy, which ``expert`` has gone on from. Raises OSError."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._copy_path(expert.id)
        write_atomically(path, data)
        with self._lock:
            self._copies = {**self._copies, expert.id: _Copy(expert.steps, path)}

    def copy_of(self, expert: ExpertId) -> bytes | None:
        """The file of a copy, if there is one."""
        copy = self._copies.get(expert)
        try:
            return None if copy is None else copy.path.read_bytes()
        except OSError:
            return None

    def data_of(self, expert: HostedExpert) -> bytes:
        """What its file holds when it is written now."""
        return save(expert.whole_state(), {"run_id": self._run_id, "steps": str(expert.steps)})

    def restore(self, expert: HostedExpert, data: bytes) -> None:
        """Have the expert go on where the file of these bytes ends; raises ValueError."""
        restore(expert, data, self._run_id)

    def _has_read(self, path: Path, expert: HostedExpert) -> bool:
        if not path.exists():
            return False
        try:
            with path.open("rb") as file:
                self.restore(expert, file.read())
        except (OSError, ValueError) as error:
            log.warning("the file of expert %s is moved aside: %s", expert.id, error)
            quarantine(path)
            return False
        return True

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

    def leave(self, expert: HostedExpert) -> None:
        """Write an expert that we answer for no longer; what stands in its file counts as what was left."""
        self.write(expert)
        steps = self._written.get(expert.id, 0)
        with self._lock:
            if steps > self.steps_of_copy(expert.id):
                self._copies = {**self._copies, expert.id: _Copy(steps, self._path(expert.id), is_left=True)}

    def _left(self) -> Iterator[tuple[ExpertId, int, Path]]:
        """The experts in this run's files, with the steps of each; of a file only the header is read."""
        for path in self._folder.iterdir() if self._folder.is_dir() else ():
            if (named := _NAME.fullmatch(path.name)) is None:
                continue
            try:
                with path.open("rb") as file:
                    metadata = metadata_in(file.read(_LENGTH_BYTES + MAX_HEADER_BYTES))
                steps = int(metadata.get("steps", ""))
            except (OSError, ValueError) as error:
                log.warning("%s cannot be read: %s", path.name, error)
                continue
            if metadata.get("run_id") == self._run_id and 0 < steps <= MOST_STEPS:
                yield ExpertId(*map(int, named.groups())), steps, path

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
    length = int.from_bytes(data[:_LENGTH_BYTES], "little")
    if length > MAX_HEADER_BYTES:
        raise ValueError("its header is too long")
    try:
        return msgspec.json.decode(data[_LENGTH_BYTES : _LENGTH_BYTES + length], type=_Header).metadata
    except UNREADABLE as error:
        raise ValueError(f"its header cannot be read: {error}") from error
