"""The thread that asks: what it was told becomes a decision, and a bus that hangs keeps nobody waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from core.availability.arbiter import SHORTEST_PAUSE_SECONDS
from core.availability.observation import Observation
from core.availability.presets import with_preset
from core.availability.rules import AvailabilityRules
from core.client.availability_guard import AvailabilityGuard
from core.observers.desktop_bus.reader import EVERYTHING, DesktopReader, Told
from core.observers.desktop_bus.watch import DesktopWatch
from core.protocol.client_events import AvailabilityDecided
from tests.core.observers.desktop_bus.conftest import NETWORK_MANAGER, SESSION, SESSION_PATH, Buses

ALWAYS = with_preset(AvailabilityRules(), "always")
PROFILES = "net.hadess.PowerProfiles"
UPOWER = "org.freedesktop.UPower"


def metered(buses: Buses) -> Callable[[bool], None]:
    service = buses.network_manager(2)
    return lambda on: service.update(NETWORK_MANAGER[0], {"Metered": ("u", 1 if on else 2)})


def power_saver(buses: Buses) -> Callable[[bool], None]:
    service = buses.on_system(PROFILES, "/net/hadess/PowerProfiles")
    service.add_properties(PROFILES, {"ActiveProfile": ("s", "balanced")})
    return lambda on: service.update(PROFILES, {"ActiveProfile": ("s", "power-saver" if on else "balanced")})


def battery(buses: Buses) -> Callable[[bool], None]:
    service = buses.on_system(UPOWER, "/org/freedesktop/UPower", template="upower")
    return lambda on: service.update(UPOWER, {"OnBattery": ("b", on)})


def presence(buses: Buses) -> Callable[[bool], None]:
    service = buses.desktop()
    service.update(SESSION, {"LockedHint": ("b", True)}, path=SESSION_PATH)
    return lambda on: service.update(SESSION, {"LockedHint": ("b", not on)}, path=SESSION_PATH)


@pytest.mark.parametrize(
    ("rule", "changes", "service"),
    [
        ("metered", {"metered": True}, metered),
        ("power_saver", {"power_saver": True}, power_saver),
        ("battery", {"battery": True}, battery),
        ("idle", {"idle_minutes": 5}, presence),
    ],
)
def test_what_a_service_tells_pauses_and_resumes(
    buses: Buses, rule: str, changes: dict[str, object], service: Callable[[Buses], Callable[[bool], None]]
) -> None:
    """The decision of the command line, by a clock of the test's own."""
    rules, switch, reader = msgspec.structs.replace(ALWAYS, **changes), service(buses), buses.reader()
    began, passed, posted = datetime.now(UTC), [0.0], list[AvailabilityDecided]()

    def seen() -> Observation:
        told = {name: each.value for name, each in reader.read(rules).items()}
        return Observation(began + timedelta(seconds=passed[0]), passed[0], **told)  # type: ignore[arg-type]

    def decided_after(seconds: float) -> str:
        passed[0] += seconds
        guard.check()
        reason = posted[-1].decision.reason if posted else None
        return reason.rule if reason else ""

    guard = AvailabilityGuard(lambda: rules, seen, posted.append)
    assert decided_after(0.0) == ""
    switch(True)
    assert decided_after(2.0) == rule
    switch(False)
    assert decided_after(2.0) == rule, "a pause lasts ten minutes"
    assert decided_after(SHORTEST_PAUSE_SECONDS) == ""


class HangingReader(DesktopReader):
    """Stands for one that is kept by its bus: the first answer comes at once, the second when it is let."""

    def __init__(self) -> None:
        self.let, self.asked = threading.Event(), 0

    def read(self, rules: AvailabilityRules) -> dict[str, Told]:
        self.asked += 1
        if self.asked > 1:
            assert self.let.wait(60.0)
        return {"is_metered": Told(True, "NetworkManager")}

    def close(self) -> None:
        """There is nothing to close."""


def test_while_the_bus_hangs_nothing_is_told() -> None:
    reader = HangingReader()
    watch = DesktopWatch(lambda: EVERYTHING, lambda: reader, poll_seconds=0.01, stale_seconds=0.5)
    assert watch.fields() == {}
    watch.start()
    watch.await_first_look(60.0)
    until(lambda: reader.asked == 2 and watch.fields() == {})
    reader.let.set()
    until(lambda: watch.fields() == {"is_metered": True})
    watch.stop()


class FailingReader(HangingReader):
    """Its first answer raises what no service is known to raise."""

    def read(self, rules: AvailabilityRules) -> dict[str, Told]:
        self.let.set()
        told = super().read(rules)
        if self.asked == 1:
            raise RuntimeError("a service answers in a way of its own")
        return told


def test_an_answer_that_fails_is_followed_by_others() -> None:
    watch = DesktopWatch(lambda: EVERYTHING, FailingReader, poll_seconds=0.01)
    watch.start()
    watch.await_first_look(60.0)
    watch.stop()
    assert watch.fields() == {"is_metered": True}


def until(is_so: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60.0
    while not is_so():
        assert time.monotonic() < ends
        time.sleep(0.01)
