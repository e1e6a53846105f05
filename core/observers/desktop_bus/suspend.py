"""Suspends of the computer, told by logind beforehand, which waits for whoever holds an inhibitor of mode ``delay``
(https://systemd.io/INHIBITOR_LOCKS/), and without logind by two clocks afterwards.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from typing import Any

from core.observers.desktop_bus.connection import ANSWER_SECONDS, system_bus_address
from core.observers.desktop_bus.services import LOGIND

POLL_SECONDS = 5.0
JUMP_SECONDS = 20.0
"""So much longer than the clock that stands still while the computer is suspended the other has to go on."""
INHIBITOR = ("sleep", "Workerbee", "Leaving the training run first", "delay")
"""Arguments of logind's ``Inhibit``: what, who, why, mode."""
_SIGNAL = "PrepareForSleep"
_log = logging.getLogger(__name__)


def seconds_suspended() -> float:
    """Seconds suspended since the computer was started, where the system counts them; else by the wall clock."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    whole = time.time() if boot is None else time.clock_gettime(boot)
    return whole - time.monotonic()


class SuspendWatch:
    """Listens from its making until ``close``, in a thread of its own, which calls ``on_suspend`` and ``on_resume``.

    After ``on_suspend`` the computer waits until ``let_suspend``, for some seconds (5, if logind is not told
    otherwise); ``on_resume`` is called once after each suspend. Without a bus or logind, or where it refuses,
    ``on_resume`` alone is called. ``suspended_seconds`` is a clock that counts only while the computer is suspended.
    """

    def __init__(
        self,
        on_suspend: Callable[[], None],
        on_resume: Callable[[], None],
        address: Callable[[], str] = system_bus_address,
        *,
        suspended_seconds: Callable[[], float] = seconds_suspended,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._on_suspend, self._on_resume, self._address = on_suspend, on_resume, address()
        self._suspended_seconds, self._poll_seconds = suspended_seconds, poll_seconds
        self._seen_seconds = suspended_seconds()
        self._is_suspending = False
        self._inhibitor: Any = None
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._told = ""
        threading.Thread(target=self._run, name="suspend-watch", daemon=True).start()

    def let_suspend(self) -> None:
        """Let a suspend that is being prepared begin; nothing happens where there is none. For any thread."""
        if self._is_suspending:
            self._hold(None)

    def close(self) -> None:
        """Listen no longer, and let the computer be suspended; the thread ends within ``poll_seconds``."""
        self._ended.set()
        self._hold(None)

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self._listen()
            except Exception as error:  # no bus, the end of it, or words that are none
                if str(error) != self._told:
                    self._told = str(error)
                    _log.info("suspends are noticed only afterwards: %r", error)
            self._hold(None)
            if self._is_suspending and not self._ended.is_set():
                self._resume(None)  # who would have told of the end of the suspend has gone
            self._look_at_clocks()
            self._ended.wait(self._poll_seconds)

    def _listen(self) -> None:
        from jeepney import MatchRule, message_bus
        from jeepney.bus import get_bus
        from jeepney.io.blocking import DBusConnection, prep_socket

        place = {"type": "signal", "interface": LOGIND.interface, "path": LOGIND.path, "member": _SIGNAL}
        socket = prep_socket(get_bus(self._address), enable_fds=True, timeout=ANSWER_SECONDS)
        with closing(socket), closing(DBusConnection(socket, enable_fds=True)) as bus:
            told: deque[Any] = deque()
            with bus.filter(MatchRule(**place), queue=told):
                rule = message_bus.AddMatch(MatchRule(sender=LOGIND.service, **place))
                bus.send_and_get_reply(rule, timeout=ANSWER_SECONDS)
                self._hold(_inhibitor(bus))
                while not self._ended.is_set():
                    try:
                        signal = bus.recv_until_filtered(told, timeout=self._poll_seconds)
                    except TimeoutError:
                        self._look_at_clocks(bus)
                    else:
                        self._hear(bus, signal.body)

    def _hear(self, bus: Any, body: tuple[object, ...]) -> None:
        """What comes before a suspend, with ``True``, and after it."""
        if body == (True,):
            self._is_suspending = True
            self._on_suspend()
        elif self._is_suspending:
            self._resume(bus)

    def _look_at_clocks(self, bus: Any = None) -> None:
        before, self._seen_seconds = self._seen_seconds, self._suspended_seconds()
        if self._seen_seconds - before >= JUMP_SECONDS:
            self._resume(bus)

    def _resume(self, bus: Any) -> None:
        """Once for each suspend, although logind and the clocks both tell of it."""
        self._seen_seconds, self._is_suspending = self._suspended_seconds(), False
        if bus is not None:
            self._hold(_inhibitor(bus))
        self._on_resume()

    def _hold(self, inhibitor: Any) -> None:
        """Hold that in the place of another; to close its descriptor is the sign for logind."""
        with self._lock:
            before, self._inhibitor = self._inhibitor, inhibitor
        if before is not None:
            before.close()


def _inhibitor(bus: Any) -> Any:
    """What makes logind wait while it is open; ``None`` where logind is not there or refuses."""
    from jeepney import DBusAddress, MessageFlag, MessageType, new_method_call

    call = new_method_call(DBusAddress(LOGIND.path, LOGIND.service, LOGIND.interface), "Inhibit", "ssss", INHIBITOR)
    call.header.flags |= MessageFlag.no_auto_start
    reply = bus.send_and_get_reply(call, timeout=ANSWER_SECONDS)
    is_given = reply.header.message_type is MessageType.method_return and reply.body
    return reply.body[0] if is_given else None
