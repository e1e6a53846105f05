"""What is seen of the computer, looked for in a thread of its own: a driver may take long to answer, or for ever."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from core.availability.arbiter import seconds_to_look
from core.availability.look_thread import STALE_SECONDS, LookThread
from core.availability.observation import GpuId, Observation
from core.availability.rules import AvailabilityRules
from core.hardware.device import Device

LOOK_SECONDS = 1.7
"""As often as costs next to nothing; sooner where a use of the GPU is about to have lasted long enough to ask."""


class Observer(Protocol):
    """What looks at the computer."""

    def observe(self, rules: AvailabilityRules) -> Observation: ...

    def close(self) -> None: ...


class ComputerWatch:
    """Has an observer look every ``LOOK_SECONDS`` between ``start`` and ``stop``, as far as the rules ask for it.

    ``make`` makes the observer, in the thread; ``clock`` is the one that ``Observation.monotonic`` is read from.
    """

    def __init__(
        self,
        make: Callable[[], Observer],
        rules: Callable[[], AvailabilityRules],
        *,
        clock: Callable[[], float] = time.monotonic,
        look_seconds: float = LOOK_SECONDS,
        stale_seconds: float = STALE_SECONDS,
    ) -> None:
        self._make, self._rules, self._clock = make, rules, clock
        self._look_seconds, self._stale_seconds = look_seconds, stale_seconds
        self._thread: LookThread[Observation] | None = None

    def start(self) -> None:
        """Start to look, unless somebody has already."""
        if self._thread is None:
            self._thread = LookThread("computer-watch", self._make, self._look, self._look_seconds)

    def await_first_look(self, seconds: float) -> None:
        """Wait until something has been seen, for so many seconds at most."""
        if self._thread is not None:
            self._thread.await_first_look(seconds)

    @property
    def next_look_seconds(self) -> float:
        """In how many seconds it looks again; as long as between two looks where that is not known, or late."""
        left = 0.0 if self._thread is None else self._thread.seconds_left
        return left if left > 0 else self._look_seconds

    def stop(self) -> None:
        """Look no longer, and forget what was seen; an observer that hangs is not waited for."""
        if self._thread is not None:
            self._thread.end()
            self._thread = None

    def seen(self, fields: Mapping[str, object]) -> Observation | None:
        """What was seen last, as of now; ``None`` before the first look, and nothing of it while the observer hangs.

        ``fields`` are what the front end itself sees; where it sees nothing, what the observer has seen holds.
        """
        look = None if self._thread is None else self._thread.last_look
        if look is None:
            return None
        known = {name: value for name, value in fields.items() if value is not None}
        at, monotonic = datetime.now(look.seen.at.tzinfo), self._clock()
        latest = Observation(at, monotonic) if look.age_seconds > self._stale_seconds else look.seen
        return replace(latest, at=at, monotonic=monotonic, **known)  # type: ignore[arg-type]

    def _look(self, observer: Observer) -> tuple[Observation, float]:
        rules = self._rules()
        seen = observer.observe(rules)
        return seen, seconds_to_look(rules, seen, self._look_seconds)


def gpus_of(devices: Iterable[Device]) -> frozenset[GpuId]:
    """Those of the devices that are GPUs, as their observers know them."""
    return frozenset(device.pci_address or device.index for device in devices if device.is_gpu)


def gpus_called(label: str, devices: Iterable[Device]) -> frozenset[GpuId]:
    """The GPU of that label, as its observers know it; one that is not listed now is looked for by its number."""
    kind, _, number = label.partition(":")
    if kind == "cpu":
        return frozenset()
    return gpus_of(device for device in devices if device.label == label) or frozenset({int(number)})
