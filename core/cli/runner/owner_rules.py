"""The owner's rules on the command line: while a worker trains, they pause it and let it go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from core.availability.decision import Decision
from core.availability.observation import Observation
from core.availability.pacing import Pace
from core.availability.rules import AvailabilityRules
from core.cli.output.unobserved_rules import UnobservedRulesPrinter
from core.cli.runner.worker_session import WorkerSession
from core.client.availability_guard import AvailabilityGuard
from core.client.computer_watch import ComputerWatch, Observer, gpus_of
from core.files.folders import Folders
from core.hardware.device import Device
from core.records.pauses import PauseLog
from core.records.traffic_log import TrafficLog

if TYPE_CHECKING:
    from core.observers.desktop_bus.watch import DesktopWatch

_PATIENCE_SECONDS = 5.0  # with a driver that hangs


@contextmanager
def following_rules(
    worker: WorkerSession,
    rules: Callable[[], AvailabilityRules],
    folders: Folders,
    devices: Sequence[Device],
    pauses: bool = True,
) -> Iterator[None]:
    """While this lasts, the rules decide for that worker, from the beginning on, and as they are at each look.

    Where nothing ``pauses``, it is about the pace alone. Of ``devices``, none but the GPUs that train are looked at.
    Rules that cannot see here are named at first, and as soon as another one ceases to see. Threads call ``rules``.
    """
    traffic, desktop = TrafficLog(folders.contents.traffic_file), _desktop(rules)
    unobserved = UnobservedRulesPrinter(rules, bool(gpus_of(devices)))

    def seen() -> Observation | None:
        observation = watch.seen({**desktop.fields(), **traffic.count(worker.session.traffic, datetime.now())})
        if observation is not None:
            unobserved.look(observation)
        return observation

    watch = ComputerWatch(partial(_observer, folders, devices), rules)
    log = PauseLog(folders.contents.pauses_file)
    worker.guard = AvailabilityGuard(rules, seen, worker.post, partial(_note, log, worker), pauses=pauses)
    _start(watch, desktop)
    worker.guard.check()
    try:
        yield
    finally:
        worker.guard = None
        desktop.stop()
        watch.stop()
        traffic.count(worker.session.traffic, datetime.now())
        traffic.write()
        log.end(datetime.now().astimezone())


def _start(watch: ComputerWatch, desktop: DesktopWatch) -> None:
    """Start both, and wait for the first look of each; they look at the same time."""
    watch.start()
    desktop.start()
    ends = time.monotonic() + _PATIENCE_SECONDS
    watch.await_first_look(_PATIENCE_SECONDS)
    desktop.await_first_look(max(0.0, ends - time.monotonic()))


def _desktop(rules: Callable[[], AvailabilityRules]) -> DesktopWatch:
    from core.observers.desktop_bus.watch import DesktopWatch

    return DesktopWatch(rules)


def _observer(folders: Folders, devices: Sequence[Device]) -> Observer:
    from core.observers.computer import ComputerObserver

    return ComputerObserver(folders.data, gpus_of(devices))


def _note(log: PauseLog, worker: WorkerSession, decision: Decision, pace: Pace, at: datetime) -> None:
    consent = worker.session.consent
    log.note(decision, at, consent.device if consent is not None else None, worker.session.pause, pace)
