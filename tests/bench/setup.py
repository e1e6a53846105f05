"""What every measurement of one bench stands on: the run file, the cores, the time that is left."""

from __future__ import annotations

import contextlib
import math
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tomli_w

from core.run.manifest import RunManifest
from core.run.run_file import load_run_file, template


class NotMeasured(Exception):  # noqa: N818 - an answer for the table, not a mistake
    """Why a figure is missing, in words."""


class TooLate(NotMeasured):
    """It did not happen in time."""


@contextlib.contextmanager
def told_as_not_measured() -> Iterator[None]:
    """A peer that has not done what it should have, as an AssertionError tells, is why a figure is missing."""
    try:
        yield
    except AssertionError as error:
        raise NotMeasured(" ".join(str(error).split())[:300]) from error


@dataclass(frozen=True)
class Ground:
    """``cores`` are the two peers', ``threads`` is each one's number of compute threads.

    ``deadline`` is the end of the whole bench, in seconds on the monotonic clock; ``epoch_seconds`` is how
    long two peers that never wait need for ``target_batch_size``.
    """

    folder: Path
    run_file: Path
    cores: tuple[frozenset[int], frozenset[int]]
    threads: int
    epoch_seconds: float
    deadline: float

    @property
    def manifest(self) -> RunManifest:
        """The run that every peer trains, but for what bare hivemind sets by default."""
        return load_run_file(self.run_file)

    def limit(self, seconds: float) -> float:
        """So long, or until the deadline; raises TooLate once that has passed."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TooLate("the time was up")
        return min(seconds, left)

    def shortened(self, seconds: float) -> Ground:
        """The same with a nearer deadline, so that one measurement cannot eat the others' time."""
        return replace(self, deadline=min(self.deadline, time.monotonic() + seconds))

    def with_target(self, samples_per_second: float) -> Ground:
        """With a run file in which an epoch lasts ``epoch_seconds`` at that rate of both peers together."""
        micro_batch = self.manifest.collaboration.sure_batch_size
        target = micro_batch * max(2, round(samples_per_second * self.epoch_seconds / micro_batch))
        run_file = self.folder / "run.toml"
        write_run_file(run_file, target_batch_size=target)
        return replace(self, run_file=run_file)


def write_run_file(path: Path, **collaboration: Any) -> None:
    """The demo's run, with other options of collaboration."""
    tables = tomllib.loads(template())
    tables["collaboration"] |= collaboration
    path.write_text(tomli_w.dumps(tables), encoding="utf-8")


def halves(cores: set[int]) -> tuple[frozenset[int], frozenset[int]]:
    """One half of the cores for each peer; both get all of them where there is only one."""
    ordered = sorted(cores)
    middle = math.ceil(len(ordered) / 2)
    return frozenset(ordered[:middle]), frozenset(ordered[middle:] or ordered)
