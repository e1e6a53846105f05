"""What has been given to each run, some of it saved and some of it on its way to the file."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Given:
    """To one run, in all or since it was last saved; ``joules`` is ``None`` where nobody knows."""

    name: str = ""
    samples: int = 0
    epochs: int = 0
    seconds: float = 0.0
    joules: float | None = None

    def plus(self, more: Given) -> Given:
        """Both together, under the newer name."""
        known = [joules for joules in (self.joules, more.joules) if joules is not None]
        return Given(
            more.name or self.name,
            self.samples + more.samples,
            self.epochs + more.epochs,
            self.seconds + more.seconds,
            sum(known) if known else None,
        )


class DeedsUnderWay:
    """Added by one thread, saved by another; at every moment each thing is in exactly one of three places.

    ``saved`` is what the file holds; ``None`` until it has been read.
    """

    def __init__(self) -> None:
        self.saved: dict[str, Given] | None = None
        self._lock = threading.Lock()
        self._being_saved: dict[str, Given] = {}
        self._unsaved: dict[str, Given] = {}

    def add(self, run_id: str, more: Given) -> None:
        """That run was given more."""
        with self._lock:
            self._unsaved = _sum(self._unsaved, {run_id: more})

    def all(self) -> dict[str, Given]:
        """What each run has been given, as far as is known."""
        with self._lock:
            return _sum(_sum(self.saved or {}, self._being_saved), self._unsaved)

    def take(self) -> dict[str, Given]:
        """What is to be added to the file now; ``settle`` must follow."""
        with self._lock:
            self._being_saved, self._unsaved = self._unsaved, {}
            return self._being_saved

    def settle(self, is_saved: bool) -> None:
        """What was taken is in the file, or else must be taken again."""
        with self._lock:
            if is_saved:
                self.saved = _sum(self.saved or {}, self._being_saved)
            else:
                self._unsaved = _sum(self._being_saved, self._unsaved)
            self._being_saved = {}


def _sum(some: dict[str, Given], more: dict[str, Given]) -> dict[str, Given]:
    return some | {run_id: some.get(run_id, Given()).plus(given) for run_id, given in more.items()}
