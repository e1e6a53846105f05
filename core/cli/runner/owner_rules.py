"""The owner's rules on the command line: while a worker trains, they pause it and let it go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from core.availability.rules import AvailabilityRules
from core.cli.runner.worker_session import WorkerSession
from core.client.availability_guard import AvailabilityGuard
from core.client.computer_watch import ComputerWatch, Observer, gpus_of
from core.files.folders import Folders
from core.hardware.device import Device


@contextmanager
def following_rules(
    worker: WorkerSession, rules: AvailabilityRules, folders: Folders, devices: Sequence[Device]
) -> Iterator[None]:
    """While this lasts, the rules decide for that worker; of ``devices``, none but the GPU that trains is looked at.

    Nothing is seen of a desktop from here: whether a person is there, or a game runs.
    """

    def observer() -> Observer:
        from core.observers.computer import ComputerObserver

        return ComputerObserver(folders.data, gpus_of(devices))

    watch = ComputerWatch(observer, lambda: rules)
    worker.guard = AvailabilityGuard(lambda: rules, watch.seen, worker.post)
    watch.start()
    try:
        yield
    finally:
        worker.guard = None
        watch.stop()
