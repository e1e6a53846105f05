"""What is seen of the computer, looked for in a thread of its own: a driver may take long to answer, or for ever."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from core.availability.arbiter import seconds_to_look
from core.availability.observation import Observation
from core.availability.rules import AvailabilityRules
from core.hardware.device import Device

LOOK_SECONDS = 1.7
"""As often as costs next to nothing; sooner where a use of the GPU is about to have lasted long enough to ask."""
STALE_SECONDS = 20.0
"""After so long without a new look, what was seen before counts as not seen: the driver that was asked hangs."""


log = logging.getLogger(__name__)


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
        self._run: _Run | None = None

    def start(self) -> None:
        """Start to look, unless somebody has already."""
        if self._run is None:
            self._run = _Run()
            threading.Thread(target=self._look, args=(self._run,), name="computer-watch", daemon=True).start()

    def await_first_look(self, seconds: float) -> None:
        """Wait until something has been seen, for so many seconds at most."""
        if self._run is not None:
            self._run.has_looked.wait(seconds)

    @property
    def next_look_seconds(self) -> float:
        """In how many seconds it looks again; as long as between two looks where that is not known, or late."""
        left = (0.0 if self._run is None else self._run.next_look) - time.monotonic()
        return left if left > 0 else self._look_seconds

    def stop(self) -> None:
        """Look no longer, and forget what was seen; an observer that hangs is not waited for."""
        if self._run is not None:
            self._run.ended.set()
            self._run = None

    def seen(self, fields: Mapping[str, object]) -> Observation | None:
        """What was seen last, as of now; ``None`` before the first look, and nothing of it while the observer hangs.

        ``fields`` are what the front end itself sees; where it sees nothing, what the observer has seen holds.
        """
        run = self._run
        if run is None or run.last_look is None:
            return None
        latest, looked_at = run.last_look
        known = {name: value for name, value in fields.items() if value is not None}
        at, monotonic = datetime.now(latest.at.tzinfo), self._clock()
        if time.monotonic() - looked_at > self._stale_seconds:
            latest = Observation(at, monotonic)
        return replace(latest, at=at, monotonic=monotonic, **known)  # type: ignore[arg-type]

    def _look(self, run: _Run) -> None:
        with contextlib.closing(self._make()) as observer:
            while not run.ended.is_set():
                rules, wait = self._rules(), self._look_seconds
                try:
                    seen, now = observer.observe(rules), time.monotonic()
                    wait = seconds_to_look(rules, seen, wait)
                    run.last_look, run.next_look = (seen, now), now + wait
                    run.has_looked.set()
                except Exception:  # a sensor fails in a way of its own; what was seen before it is soon too old
                    log.exception("the computer could not be observed")
                run.ended.wait(wait)


def gpus_of(devices: Iterable[Device]) -> frozenset[int]:
    """The indices of those of the devices that are GPUs."""
    return frozenset(device.index for device in devices if device.kind == "cuda")


class _Run:
    """One thread's time between ``start`` and ``stop``: what it has seen, if anything yet, and whether it shall end."""

    def __init__(self) -> None:
        self.last_look: tuple[Observation, float] | None = None  # and when it was
        self.next_look = 0.0
        self.has_looked, self.ended = threading.Event(), threading.Event()
