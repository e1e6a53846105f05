"""A connection to a message bus (D-Bus) that waits for an answer no longer than a second, and starts no service."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.observers.desktop_bus.readings import Properties
from core.observers.desktop_bus.services import ABSENT_ERRORS, Target

ANSWER_SECONDS = 1.0
REST_SECONDS = 30.0
"""For so long a service that has not answered in time is not asked again."""
SYSTEM_BUS = "unix:path=/run/dbus/system_bus_socket"
_WHOLE_BUS = ""
_log = logging.getLogger(__name__)


class NoAnswerError(Exception):
    """Nobody has answered; ``is_absent`` says that nobody has the service's name at all."""

    def __init__(self, why: str, is_absent: bool = False) -> None:
        super().__init__(why)
        self.is_absent = is_absent


class BusConnection:
    """Opened with the first question, and again after it was lost; for one thread, which a bus that hangs may hold.

    ``address`` is one that D-Bus knows, such as ``unix:path=/run/user/1000/bus``; empty where there is no bus.
    """

    def __init__(
        self,
        address: str,
        *,
        answer_seconds: float = ANSWER_SECONDS,
        rest_seconds: float = REST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._address, self._answer_seconds, self._rest_seconds = address, answer_seconds, rest_seconds
        self._clock = clock
        self._connection: Any = None
        self._rests_until: dict[str, float] = {}
        self._told: set[str] = set()

    def call(self, target: Target, method: str, signature: str = "", *arguments: object) -> object:
        """Call the method, and return the first value of its answer; raises NoAnswerError."""
        if self._clock() < max(self._rests_until.get(each, 0.0) for each in (target.service, _WHOLE_BUS)):
            raise NoAnswerError(f"{target.service} has not answered lately")
        try:
            return self._asked(target, method, signature, arguments)
        except NoAnswerError:
            raise
        except TimeoutError as error:
            self._rests_until[target.service] = self._clock() + self._rest_seconds
            raise self._lack(f"{target.service} does not answer") from error
        except Exception as error:  # no bus, the end of it, or words that are none
            self.close()
            raise self._lack(f"{target.service}: {error!r}") from error

    def properties(self, target: Target) -> Properties:
        """All properties of the target; none of them where it does not tell. Never raises."""
        asked = Target(target.service, target.path, "org.freedesktop.DBus.Properties")
        try:
            values = self.call(asked, "GetAll", "s", target.interface)
        except NoAnswerError:
            return Properties()
        return Properties({name: _value(told) for name, told in values.items()} if isinstance(values, dict) else {})

    def answer(self, target: Target, method: str, signature: str = "", *arguments: object) -> object:
        """The first value of the method's answer; ``None`` where there is none. Never raises."""
        try:
            return self.call(target, method, signature, *arguments)
        except NoAnswerError:
            return None

    def close(self) -> None:
        """Leave the bus; the next question opens another connection."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.close()

    def _asked(self, target: Target, method: str, signature: str, arguments: tuple[object, ...]) -> object:
        from jeepney import DBusAddress, HeaderFields, MessageFlag, MessageType, new_method_call

        address = DBusAddress(target.path, target.service, target.interface)
        message = new_method_call(address, method, signature or None, arguments)
        message.header.flags |= MessageFlag.no_auto_start
        reply = self._opened().send_and_get_reply(message, timeout=self._answer_seconds)
        if reply.header.message_type is MessageType.error:
            name = reply.header.fields.get(HeaderFields.error_name, "")
            raise NoAnswerError(f"{target.service}: {name}", name in ABSENT_ERRORS)
        return reply.body[0] if reply.body else None

    def _opened(self) -> Any:
        from jeepney.bus import get_bus
        from jeepney.io.blocking import DBusConnection, prep_socket

        if self._connection is None:
            if not self._address:
                raise OSError("there is no such bus")
            try:
                socket = prep_socket(get_bus(self._address), timeout=self._answer_seconds)
            except TimeoutError:
                self._rests_until[_WHOLE_BUS] = self._clock() + self._rest_seconds
                raise
            socket.settimeout(self._answer_seconds)  # for what is sent
            try:
                self._connection = DBusConnection(socket)
            except BaseException:
                socket.close()
                raise
        return self._connection

    def _lack(self, why: str) -> NoAnswerError:
        """The error, which the log has once."""
        if why not in self._told:
            self._told.add(why)
            _log.info("D-Bus: %s", why)
        return NoAnswerError(why)


def session_bus_address() -> str:
    """The bus of this user's session, which the user's services share with the desktop; empty where there is none."""
    named = os.environ.get("DBUS_SESSION_BUS_ADDRESS", "")
    usual = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}", "bus") if os.name == "posix" else None
    return named or (f"unix:path={usual}" if usual is not None and usual.exists() else "")


def system_bus_address() -> str:
    """The bus of the computer."""
    return os.environ.get("DBUS_SYSTEM_BUS_ADDRESS") or SYSTEM_BUS


def _value(variant: object) -> object:
    """The value of a variant, which is a type and a value; nothing of anything else."""
    return variant[1] if isinstance(variant, tuple) and len(variant) == 2 else None
