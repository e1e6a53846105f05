"""Who arrives in a published run waits for somebody's progress, and does not take it for one that begins."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from core.worker.swarm.trust import arrival
from core.worker.swarm.trust.arrival import Arrival

NOBODY: Mapping[bytes, Any] = {}
ORGANISER: Mapping[bytes, Any] = {b"organiser": "its report"}


class Tracker:
    """Stands for the progress tracker; ``seen`` is what each look finds, and ``epoch`` what that tells."""

    is_newcomer: Callable[[], bool]
    has_signed_epochs = False

    def __init__(self, *seen: Mapping[bytes, Any], epoch: int = 12) -> None:
        self._seen, self._epoch = list(seen), epoch
        self.others, self.global_epoch = NOBODY, 0
        self.looks = 0

    def look_now(self) -> None:
        """As the tracker's thread does, a moment later."""
        self.looks += 1
        self.others = self._seen.pop(0) if self._seen else NOBODY

    def confirm(self, epoch: int) -> None:
        """A newcomer believes what is claimed; whoever has the run's state asks for it first."""
        self.global_epoch = self._epoch if self.others and self.is_newcomer() else epoch


class Search:
    """Stands for the download of a state."""

    has_state = True


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrival, "LOOK_SECONDS", 0.0)


def arrived(
    tracker: Tracker, *, is_organiser: bool = False, is_published: bool = True, least_epoch: int = 0
) -> tuple[Search, list[str]]:
    """What it downloads, if anything, and what it says while it waits."""
    search, told = Search(), list[str]()
    options = {"is_organiser": is_organiser, "is_published": is_published}
    arriving = Arrival(tracker, search, 0, least_epoch=least_epoch, **options)
    arriving.await_progress(threading.Event(), lambda: told.append("waiting"))
    return search, told


def test_who_finds_a_run_without_progress_downloads_its_state_once_the_progress_is_there() -> None:
    tracker = Tracker(NOBODY, NOBODY, ORGANISER)
    search, told = arrived(tracker)
    assert tracker.global_epoch == 12 and not search.has_state
    assert told == ["waiting"] * 3


def test_reports_that_no_estimate_knows_yet_are_those_of_a_run_that_goes_on() -> None:
    tracker = Tracker()
    tracker.others = ORGANISER
    search, told = arrived(tracker)
    assert tracker.global_epoch == 12 and not search.has_state and not told


def test_a_run_that_really_begins_is_begun_with() -> None:
    search, _ = arrived(Tracker(ORGANISER, epoch=0))
    assert search.has_state


@pytest.mark.parametrize("is_signed", [False, True])
def test_a_run_in_which_nobody_is_left_is_waited_for_longer_where_an_epoch_is_signed(
    monkeypatch: pytest.MonkeyPatch, is_signed: bool
) -> None:
    monkeypatch.setattr(arrival, "WAIT_SECONDS", 0.0 if is_signed else 0.1)
    monkeypatch.setattr(arrival, "SIGNED_WAIT_SECONDS", 0.1 if is_signed else 0.0)
    tracker = Tracker()
    tracker.has_signed_epochs = is_signed
    search, told = arrived(tracker)
    assert search.has_state and told


@pytest.mark.parametrize(("is_organiser", "is_published"), [(True, True), (False, False)])
def test_the_organiser_and_who_has_a_run_file_of_an_unpublished_run_wait_for_nobody(
    is_organiser: bool, is_published: bool
) -> None:
    tracker = Tracker(ORGANISER)
    search, told = arrived(tracker, is_organiser=is_organiser, is_published=is_published)
    assert search.has_state and not told and not tracker.looks


def test_after_a_rollback_only_who_has_come_to_that_epoch_is_believed_and_nobody_begins_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrival, "WAIT_SECONDS", 0.0)
    newcomer, organiser = SimpleNamespace(epoch=0), SimpleNamespace(epoch=7)
    tracker = Tracker(NOBODY, {b"newcomer": newcomer}, {b"newcomer": newcomer, b"organiser": organiser}, epoch=7)
    search, told = arrived(tracker, least_epoch=7)
    assert tracker.global_epoch == 7 and not search.has_state
    assert told == ["waiting"] * 3


@pytest.mark.parametrize(
    ("others", "epoch", "is_its_own"), [({}, 0, True), (ORGANISER, 12, False), (ORGANISER, 9, True)]
)
def test_a_successor_goes_on_from_its_checkpoint_unless_somebody_has_come_further(
    others: Mapping[bytes, Any], epoch: int, is_its_own: bool
) -> None:
    tracker, search = Tracker(epoch=epoch), Search()
    tracker.others = others
    arrived = Arrival(tracker, search, 0, is_organiser=False, is_published=True)
    tracker.global_epoch = epoch
    search.has_state = tracker.global_epoch <= 10  # what putting the checkpoint of epoch 10 in place says of it
    arrived.resume_at(10)
    arrived.await_progress(threading.Event(), lambda: pytest.fail("it waits"))
    assert search.has_state is is_its_own


def test_who_leaves_meanwhile_waits_no_longer() -> None:
    leaving, told = threading.Event(), list[str]()
    leaving.set()
    Arrival(Tracker(), Search(), 0, is_organiser=False, is_published=True).await_progress(
        leaving, lambda: told.append("waiting")
    )
    assert not told
