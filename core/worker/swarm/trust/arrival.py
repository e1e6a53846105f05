"""What a peer believes of a run in which it has just arrived, until somebody has told how far that is.

An organiser that was restarted publishes its run a moment before its progress, and before it has its checkpoint again.
Who arrives in that moment sees nobody, and would take the run for one that begins.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

WAIT_SECONDS = 20.0  # for the progress of anybody in a published run
SIGNED_WAIT_SECONDS = 90.0  # the same, where an epoch is signed, and so a state was there
LOOK_SECONDS = 1.0

log = logging.getLogger(__name__)


class ArrivalTracker(Protocol):
    """The progress of the run, as far as it is known."""

    is_newcomer: Callable[[], bool]
    others: Mapping[bytes, Any]
    has_signed_epochs: bool

    @property
    def global_epoch(self) -> int:
        """The latest epoch that is believed."""

    def look_now(self) -> None:
        """Ask for everybody's progress, and return at once."""

    def confirm(self, epoch: int) -> None:
        """Believe that the run has come so far, and estimate anew."""


class StateOwner(Protocol):
    """Who knows whether our state is the run's, and so need not be fetched: ``has_state``."""

    has_state: bool


class Arrival:
    """A newcomer believes whatever is claimed, and the organiser has the run's state.

    In a run that ``is_published`` somebody is at work, and what we have is the run's state only once we know their
    progress; see `await_progress`. ``epoch`` is our own. Before ``least_epoch``, to which the organiser has taken the
    run back, there is nothing to train with: who has come to it is waited for without an end.
    """

    def __init__(
        self,
        tracker: ArrivalTracker,
        search: StateOwner,
        epoch: int,
        *,
        is_organiser: bool,
        is_published: bool,
        least_epoch: int = 0,
    ) -> None:
        self._tracker, self._search, self._epoch, self._least_epoch = tracker, search, epoch, least_epoch
        self._is_uninformed = is_published and not is_organiser and not self._is_told
        search.has_state = is_organiser
        tracker.is_newcomer = lambda: not search.has_state
        tracker.confirm(0)  # reports that have come a moment ago are in no estimate yet
        search.has_state = is_organiser or (not self._is_uninformed and tracker.global_epoch <= epoch)

    def resume_at(self, epoch: int) -> None:
        """Whoever leads the run on has put a checkpoint of it in place: the run's state, unless somebody is further."""
        self._epoch = epoch
        if not self._is_told:
            self._is_uninformed, self._search.has_state = False, True

    def await_progress(self, leaving: threading.Event, on_wait: Callable[[], None]) -> None:
        """Wait until anybody has told how far the run is, for a while; ``on_wait`` is called while nobody has."""
        began = time.monotonic()
        while self._is_uninformed and not self._is_told and not leaving.is_set():
            patience = SIGNED_WAIT_SECONDS if self._tracker.has_signed_epochs else WAIT_SECONDS
            if time.monotonic() - began > patience and not self._least_epoch:
                log.warning("nobody has told how far the run is: training begins with what is here")
                break
            on_wait()
            self._tracker.look_now()
            leaving.wait(LOOK_SECONDS)
        if self._is_uninformed:
            self._is_uninformed = False
            self._tracker.confirm(0)
            self._search.has_state = self._tracker.global_epoch <= self._epoch

    @property
    def _is_told(self) -> bool:
        """Whether anybody tells how far the run is, who has come at least to where the organiser has taken it back."""
        others = self._tracker.others.values()
        return any(each.epoch >= self._least_epoch for each in others) if self._least_epoch else bool(others)
