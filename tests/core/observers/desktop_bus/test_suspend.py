"""The watch of suspends, against a real bus with python-dbusmock's logind, and by the clocks without one."""

from __future__ import annotations

import queue
import time

import pytest

from core.observers.desktop_bus.suspend import JUMP_SECONDS, SuspendWatch, seconds_suspended
from tests.core.observers.desktop_bus.conftest import LOGIND, LOGIND_PATH, MANAGER, Buses, Logind
from tests.support.environment.session_bus import session_bus
from tests.support.environment.x11_desktop import wait_for

LIMIT_SECONDS = 60.0


class Listener:
    """A watch, what it has told, and the clock that counts while the computer is suspended."""

    def __init__(self, address: str) -> None:
        self.told: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.suspended = 0.0
        self.watch = SuspendWatch(
            lambda: self.told.put("suspend"),
            lambda: self.told.put("resume"),
            lambda: address,
            suspended_seconds=lambda: self.suspended,
            poll_seconds=0.05,
        )

    def next(self) -> str:
        return self.told.get(timeout=LIMIT_SECONDS)


def test_a_suspend_waits_until_it_is_let(buses: Buses) -> None:
    logind = buses.logind()
    listener = Listener(buses.system_address)
    for _ in range(2):
        wait_for(lambda: logind.is_waiting, "the inhibitor", LIMIT_SECONDS)
        listener.watch.let_suspend()
        assert logind.is_waiting, "none is being prepared"
        logind.prepare_for_sleep(True)
        assert listener.next() == "suspend"
        assert logind.is_waiting
        listener.watch.let_suspend()
        wait_for(lambda: not logind.is_waiting, "the suspend", LIMIT_SECONDS)
        listener.suspended += 3600.0
        logind.prepare_for_sleep(False)
        assert listener.next() == "resume"
    listener.watch.close()
    wait_for(lambda: not logind.is_waiting, "the end of the watch", LIMIT_SECONDS)
    assert listener.told.empty(), "logind and the clocks tell of the same suspend"


def test_without_an_inhibitor_a_suspend_is_told_as_well(buses: Buses) -> None:
    """A logind that has no such method."""
    logind = buses.on_system(LOGIND, LOGIND_PATH)
    logind.add_method("AnyMethod", "", "", interface=MANAGER)
    listener = Listener(buses.system_address)
    told = list[str]()
    while not told:  # until it listens
        logind.emit(MANAGER, "PrepareForSleep", "b", ("b", True))
        told = [listener.told.get() for _ in range(listener.told.qsize())]
    logind.emit(MANAGER, "PrepareForSleep", "b", ("b", False))
    while told[-1] == "suspend":
        told.append(listener.next())
    assert told[-1] == "resume"
    listener.watch.close()


@pytest.mark.usefixtures("buses")
def test_the_end_of_a_bus_is_the_end_of_the_suspend_that_it_has_told_of() -> None:
    with session_bus() as address, Logind(address, LOGIND, LOGIND_PATH, template="logind") as logind:
        listener = Listener(address)
        wait_for(lambda: logind.is_waiting, "the inhibitor", LIMIT_SECONDS)
        logind.prepare_for_sleep(True)
        assert listener.next() == "suspend"
    assert listener.next() == "resume"
    listener.watch.close()


@pytest.mark.parametrize("address", ["", "unix:path=/nonexistent", "nonsense"])
def test_without_a_bus_the_clocks_tell_of_it_afterwards(address: str) -> None:
    listener = Listener(address)
    listener.suspended += JUMP_SECONDS / 2  # the time was corrected a little
    with pytest.raises(queue.Empty):
        listener.told.get(timeout=0.3)
    listener.suspended += 3600.0
    assert listener.next() == "resume"
    listener.watch.close()


@pytest.mark.parametrize("has_boot_clock", [True, False])
def test_the_clock_of_sleep_goes_on_only_while_the_computer_is_suspended(
    has_boot_clock: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    awake, asleep = [100.0], [7.0]
    monkeypatch.setattr(time, "monotonic", lambda: awake[0])
    if has_boot_clock:
        monkeypatch.setattr(time, "CLOCK_BOOTTIME", 7, raising=False)
        monkeypatch.setattr(time, "clock_gettime", lambda _clock: awake[0] + asleep[0])
    else:
        monkeypatch.delattr(time, "CLOCK_BOOTTIME", raising=False)
        monkeypatch.setattr(time, "time", lambda: 1.8e9 + awake[0] + asleep[0])
    before = seconds_suspended()
    awake[0] += 60.0
    assert seconds_suspended() == before
    asleep[0] += 3600.0
    assert seconds_suspended() == before + 3600.0
