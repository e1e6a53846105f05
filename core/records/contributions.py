"""What this computer has contributed, to each run and in all: samples, epochs, hours of training, energy."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from core.client.hourly_traffic import increase
from core.client.session import Session
from core.hardware.device import Device
from core.protocol.client_events import Opening
from core.records.contribution_totals import ContributionDelta, RunDay, total_of
from core.records.store import HistoryStore, run_key

LONGEST_GAP_SECONDS = 60.0  # longer between two calls: the computer slept, or its clock jumped
SAVE_EVERY_SECONDS = 30.0  # each time a disk is woken
_MOST_WATTS = 2000.0  # of one GPU: a counter that runs faster has begun anew
_STALE_SECONDS = 15.0  # a measurement of the GPU may be so old
_MOST_AT_ONCE = 2**40  # a worker may say anything, and a file has only so many digits


@dataclass(frozen=True)
class Contribution:
    """The total of one run or of all.

    ``joules`` is what the GPU drew meanwhile, ``None`` where it never told its power.
    """

    samples: int = 0
    epochs: int = 0
    seconds: float = 0.0
    joules: float | None = None


@dataclass(frozen=True)
class _Moment:
    """What the last call was told; ``at`` is ``None`` when nothing was computed."""

    opening: Opening | None = None
    samples: int = 0
    at: float | None = None
    epoch: int | None = None
    target: int = 0
    energy_joules: float | None = None
    sent_bytes: int = 0
    received_bytes: int = 0


class ContributionLog:
    """Adds up what sessions say they have contributed, and saves it in the history's file; for the main thread."""

    def __init__(self, store: HistoryStore) -> None:
        self._store = store
        self._run_id: str | None = None
        self._name = ""
        self._before = _Moment()
        self._saved_at = -SAVE_EVERY_SECONDS

    def start_run(self, run_id: str, name: str) -> None:
        """Name the run that is being helped from now on, by its ``run_key``; doing so again changes nothing."""
        self._run_id, self._name = run_id, name

    def record(self, session: Session, devices: Sequence[Device], at: float, *, counts_epochs: bool = True) -> None:
        """Add what is new since the last call; once a second, or whenever something happens.

        Where another session of this program trains in the same run, only one of them ``counts_epochs``.
        """
        device = _device(session, devices)
        before, now = self._before_this(session), _moment(session, device, at)
        self._before = now
        consent = session.consent
        run_id = run_key(consent.run_id, consent.organiser) if consent is not None else self._run_id
        more = _more(before, now, session, device)
        if not counts_epochs:
            more = replace(more, epochs=0, run_samples=0)
        if run_id is not None and more != ContributionDelta():
            name = self._name if run_id == self._run_id else ""
            day = datetime.fromtimestamp(at).date().isoformat()  # in the owner's own time
            self._store.contributions.add(run_id, replace(more, name=name), day)
        self._save(is_urgent=before.at is not None and now.at is None)

    def of(self, run_id: str) -> Contribution:
        """The total of one run, by its ``run_key``."""
        return _contribution(self._store.contributions.all().get(run_id, ContributionDelta()))

    def total(self) -> Contribution:
        """The total of all runs ever helped."""
        return _contribution(total_of(self._store.contributions.all().values()))

    def by_day(self) -> dict[RunDay, ContributionDelta]:
        """What was contributed to each run on each day."""
        return self._store.contributions.by_day()

    def _before_this(self, session: Session) -> _Moment:
        """A session counts samples from zero, through all its workers, another session again; bytes as told."""
        before = self._before
        is_another = session.opening is not before.opening and session.earlier_samples < before.samples
        is_behind = session.contributed_samples < before.samples
        if not (is_another or is_behind):
            return before
        earlier = session.earlier_traffic
        return _Moment(sent_bytes=earlier.sent_bytes, received_bytes=earlier.received_bytes)

    def _save(self, is_urgent: bool) -> None:
        now = time.monotonic()
        if is_urgent or now - self._saved_at >= SAVE_EVERY_SECONDS:
            self._saved_at = now
            self._store.save_soon()


def _moment(session: Session, device: Device | None, at: float) -> _Moment:
    progress = session.progress
    counted = session.traffic.sent_bytes, session.traffic.received_bytes
    if progress is None or session.phase != "training":
        return _Moment(session.opening, session.contributed_samples, None, None, 0, None, *counted)
    return _Moment(
        session.opening,
        session.contributed_samples,
        None if session.order.state == "paused" else at,  # by its organiser: nothing is computed
        progress.epoch,
        progress.target,
        device.energy_joules if device is not None else None,
        *counted,
    )


def _more(before: _Moment, now: _Moment, session: Session, device: Device | None) -> ContributionDelta:
    """Samples and bytes always count; time, energy and epochs only between two moments of training."""
    seconds, epochs = 0.0, 0
    if before.at is not None and now.at is not None and 0 < now.at - before.at <= LONGEST_GAP_SECONDS:
        seconds = now.at - before.at
    if before.epoch is not None and now.epoch is not None:
        epochs = min(max(0, now.epoch - before.epoch), _MOST_AT_ONCE)
    sent, received = increase(session.traffic, before.sent_bytes, before.received_bytes)
    joules = _joules(before, now, seconds, device)
    return ContributionDelta(
        samples=min(now.samples - before.samples, _MOST_AT_ONCE),
        epochs=epochs,
        seconds=seconds,
        joules=joules,
        unmeasured_seconds=seconds if joules is None else 0.0,
        run_samples=min(epochs * before.target, _MOST_AT_ONCE),
        sent_bytes=min(sent, _MOST_AT_ONCE),
        received_bytes=min(received, _MOST_AT_ONCE),
    )


def _joules(before: _Moment, now: _Moment, seconds: float, device: Device | None) -> float | None:
    """By the GPU's own counter; by its power where it has none, or has begun to count anew."""
    if seconds == 0:
        return None
    if before.energy_joules is not None and now.energy_joules is not None:
        counted = now.energy_joules - before.energy_joules
        if 0 <= counted <= _MOST_WATTS * (seconds + _STALE_SECONDS):
            return counted
    power = device.power_watts if device is not None else None
    return None if power is None else power * seconds


def _device(session: Session, devices: Sequence[Device]) -> Device | None:
    """The device that this session trains on."""
    used = session.consent.device.lower() if session.consent is not None else ""
    return next((device for device in devices if used in device.names), None)


def _contribution(given: ContributionDelta) -> Contribution:
    return Contribution(given.samples, given.epochs, given.seconds, given.joules)
