"""The round log: the encoded averages of the last rounds on disk, for peers that have missed some of them.

In 8 bits a round is 1 byte a parameter; base weights and momentum, which a peer would otherwise download, are 6. The
rounds in a log form a chain that ends at the present base weights: whoever has the weights at which one of them began,
the same to the last bit, comes to the present ones by taking the outer steps in turn.

Two processes write it. The averager's puts the average of an exchange into a file of its own; the worker's process
names that file for the versions that the outer step led from and to.

Beside it may lie a *frozen* state, see ``frozen_state.py``. As long as it does, rounds that lead on from it are kept:
who downloads it over a slow line comes to the present by them.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from core.worker.swarm.local_sgd.state_file import opened_tensors
from core.worker.swarm.state_parts.messages import Version

MAX_ROUNDS = 4
MAX_FROZEN_ROUNDS = 16  # that lead on from a frozen state

_PENDING, _CURRENT, _SUFFIX, _LENGTHS, _FROZEN = "pending", "current", ".round", "lengths", ".frozen"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LoggedRound:
    """One round on disk: its average led from base weights of the version ``before`` to those of ``after``."""

    before: Version
    after: Version
    path: Path

    def lengths(self) -> list[int]:
        """How many numbers each part has; raises OSError or ValueError where the file cannot be read."""
        with opened_tensors(self.path) as file:
            lengths: list[int] = json.loads(file.metadata()[_LENGTHS])
            return lengths

    def parts(self) -> Iterator[Tensor]:
        """The encoded parts, as vectors of bytes; raises OSError or ValueError where the file cannot be read."""
        with opened_tensors(self.path) as file:
            for number in range(len(file.keys())):
                yield file.get_tensor(str(number))


class RoundLog:
    """The log of one peer in one run, in a folder of its own; without a ``folder`` nothing is kept.

    A disk that is full or refuses costs others a longer download, and nothing else; it is logged. So does a file that
    a crash has cut off, and ourselves its round and those after it: nothing here waits for the disk.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        if folder is not None:
            with _logged("made"):
                folder.mkdir(parents=True, exist_ok=True)
            self.discard_frozen()

    @property
    def is_kept(self) -> bool:
        """Whether rounds are written down at all."""
        return self._folder is not None

    def frozen_path(self, version: Version) -> Path | None:
        """Where a frozen state of that version lies; ``None`` where nothing is kept."""
        return None if self._folder is None else self._folder / f"{_version_name(version)}{_FROZEN}"

    def discard_frozen(self) -> None:
        """Remove every frozen state, and what a crash has left of one."""
        for path in [] if self._folder is None else self._folder.glob(f"*{_FROZEN}*"):
            with _logged("freed of a frozen state"):
                path.unlink(missing_ok=True)

    def write(self, lengths: Sequence[int], parts: Sequence[Tensor]) -> None:
        """Keep the average of an exchange until the outer step; ``lengths`` count the numbers of each part."""
        if self._folder is None:
            return
        pending = self._folder / _PENDING
        new = pending.with_suffix(".tmp")
        with _logged("written"):
            tensors = {str(number): part for number, part in enumerate(parts)}
            save_file(tensors, new, {_LENGTHS: json.dumps(list(lengths))})
            new.replace(pending)

    def discard_pending(self) -> None:
        """Forget an average with which no outer step was taken."""
        if self._folder is not None:
            with _logged("discarded"):
                (self._folder / _PENDING).unlink(missing_ok=True)

    def advance(self, before: Version, after: Version) -> None:
        """The outer step has led from one version to the other, with the average that was written last."""
        if self._folder is not None:
            with _logged("named"), contextlib.suppress(FileNotFoundError):
                (self._folder / _PENDING).rename(self._folder / _name(before, after))
            self.end_at(after)

    def begin_at(self, version: Version) -> None:
        """Our base weights have that version, as we begin; rounds of an earlier process stay until the next one."""
        if self._folder is not None:
            with _logged("begun"):
                self._write_current(self._folder, version)

    def end_at(self, version: Version) -> None:
        """Our base weights have that version now; rounds that do not lead there are removed, and the oldest."""
        if self._folder is None:
            return
        leading = {each.after: each for each in self._rounds()}
        chain, reached = list[LoggedRound](), version
        while reached in leading and len(chain) < MAX_FROZEN_ROUNDS:
            chain.append(leading.pop(reached))
            reached = chain[-1].before
        frozen = {path.name for path in self._frozen()}
        used = [number for number, each in enumerate(chain, 1) if f"{_version_name(each.before)}{_FROZEN}" in frozen]
        kept = chain[: max([MAX_ROUNDS, *used])]
        with _logged("shortened"):
            for each in self._rounds():
                if each not in kept:
                    each.path.unlink(missing_ok=True)
            self._write_current(self._folder, version)

    @staticmethod
    def _write_current(folder: Path, version: Version) -> None:
        new = folder / f"{_CURRENT}.tmp"
        new.write_text(json.dumps([version[0], version[1].hex()]))
        new.replace(folder / _CURRENT)

    def current(self) -> Version | None:
        """The version of our base weights; ``None`` where nothing is kept."""
        if self._folder is None:
            return None
        try:
            steps, root = json.loads((self._folder / _CURRENT).read_bytes())
            return int(steps), bytes.fromhex(root)
        except (OSError, ValueError, TypeError):
            return None

    def since(self, version: Version) -> list[LoggedRound]:
        """The rounds that lead from that version to the present one, in order; none where the log does not say."""
        current = self.current()
        found = self.beyond(version, until=current)
        return found if (found[-1].after if found else version) == current else []

    def beyond(self, version: Version, until: Version | None = None) -> list[LoggedRound]:
        """The rounds that lead on from that version, in order, as far as the log has them."""
        following = {each.before: each for each in self._rounds()}
        found, reached = list[LoggedRound](), version
        while reached != until and reached in following:
            found.append(following.pop(reached))
            reached = found[-1].after
        return found

    def from_steps(self, steps: int) -> list[LoggedRound]:
        """The rounds that lead to the present version from ours of so many outer steps, in order; none without it."""
        leading = {each.after: each for each in self._rounds()}
        found, reached = deque[LoggedRound](), self.current()
        while reached is not None and reached[0] > steps and reached in leading:
            found.appendleft(leading[reached])
            reached = found[0].before
        return list(found) if found and found[0].before[0] == steps else []

    def _frozen(self) -> list[Path]:
        return [] if self._folder is None else list(self._folder.glob(f"*{_FROZEN}"))

    def _rounds(self) -> list[LoggedRound]:
        if self._folder is None:
            return []
        found = [_logged_round(path) for path in self._folder.glob(f"*{_SUFFIX}")]
        return [each for each in found if each is not None]


def _version_name(version: Version) -> str:
    return f"{version[0]}-{version[1].hex()}"


def _name(before: Version, after: Version) -> str:
    return f"{after[0]}-{before[1].hex()}-{after[1].hex()}{_SUFFIX}"


def _logged_round(path: Path) -> LoggedRound | None:
    """The round that the name of a file tells; each takes one outer step."""
    try:
        steps, before, after = path.name.removesuffix(_SUFFIX).split("-")
        return LoggedRound((int(steps) - 1, bytes.fromhex(before)), (int(steps), bytes.fromhex(after)), path)
    except ValueError:
        return None


@contextlib.contextmanager
def _logged(what: str) -> Iterator[None]:
    """A failure of the disk becomes a line in the log."""
    try:
        yield
    except (OSError, SafetensorError) as error:
        log.warning("the round log cannot be %s: %s", what, error)
