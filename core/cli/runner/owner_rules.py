"""The owner's rules on the command line: while a worker trains, they pause it and let it go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial

from core.availability.decision import Decision
from core.availability.observation import Observation
from core.availability.pacing import Pace
from core.availability.rules import AvailabilityRules
from core.cli.runner.worker_session import WorkerSession
from core.client.availability_guard import AvailabilityGuard
from core.client.computer_watch import ComputerWatch, Observer, gpus_of
from core.files.folders import Folders
from core.hardware.device import Device
from core.records.pauses import PauseLog
from core.records.traffic_log import TrafficLog

_PATIENCE_SECONDS = 5.0  # with a driver that hangs


@contextmanager
def following_rules(
    worker: WorkerSession, rules: AvailabilityRules | None, folders: Folders, devices: Sequence[Device]
) -> Iterator[None]:
    """While this lasts, the rules decide for that worker, from the beginning on; without ``rules`` nothing does.

    Of ``devices``, none but the GPUs that train are looked at. Nothing is seen of a desktop from here: whether a
    person is there, or a game runs.
    """
    if rules is None:
        yield
        return

    traffic = TrafficLog(folders.contents.traffic_file)

    def seen() -> Observation | None:
        return watch.seen(traffic.count(worker.session.progress, datetime.now()))

    watch = ComputerWatch(partial(_observer, folders, devices), lambda: rules)
    log = PauseLog(folders.contents.pauses_file)
    worker.guard = AvailabilityGuard(lambda: rules, seen, worker.post, partial(_note, log, worker))
    watch.start()
    watch.await_first_look(_PATIENCE_SECONDS)
    worker.guard.check()
    try:
        yield
    finally:
        worker.guard = None
        watch.stop()
        traffic.write()
        log.end(datetime.now().astimezone())


def _observer(folders: Folders, devices: Sequence[Device]) -> Observer:
    from core.observers.computer import ComputerObserver

    return ComputerObserver(folders.data, gpus_of(devices))


def _note(log: PauseLog, worker: WorkerSession, decision: Decision, pace: Pace, at: datetime) -> None:
    consent = worker.session.consent
    log.note(decision, at, consent.device if consent is not None else None, worker.session.pause, pace)
