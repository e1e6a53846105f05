"""A program on a message bus that stands for one of the system's: python-dbusmock, in a real process of its own.

It speaks the interfaces of the real services, those of its templates as its authors have copied them. It belongs to
Debian's Python, which has the bindings that it needs.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, Self

from jeepney import DBusAddress, new_method_call
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
from jeepney.wrappers import DBusErrorResponse

from installer.environment import SYSTEM_PYTHON
from tests.support.environment.x11_desktop import wait_for

_MOCK = "org.freedesktop.DBus.Mock"
_END_SECONDS = 60.0

Properties = Mapping[str, tuple[str, Any]]  # by name, the D-Bus type and the value


class MockService:
    """``with MockService(address, name, path, interface) as service:``, or with ``template``, where one has it all."""

    def __init__(self, address: str, name: str, path: str, interface: str = "", *, template: str = "") -> None:
        self._name, self._path = name, path
        self._connection = open_dbus_connection(address)
        what = ["--template", template] if template else [name, path, interface or name]
        environment = {
            **os.environ,
            "DBUS_SESSION_BUS_ADDRESS": address,
            "DBUS_SYSTEM_BUS_ADDRESS": address,
        }
        self._process = subprocess.Popen(
            [SYSTEM_PYTHON, "-m", "dbusmock", "--session", *what], env=environment, stdout=subprocess.DEVNULL
        )
        wait_for(self.is_there, f"{name} on the bus")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.end()
        self._connection.close()

    def is_there(self) -> bool:
        """Whether the bus knows its name."""
        reply = self._connection.send_and_get_reply(message_bus.NameHasOwner(self._name), timeout=_END_SECONDS)
        return bool(reply.body[0])

    def add_object(
        self, path: str, interface: str, properties: Properties, methods: Sequence[tuple[str, str, str, str]]
    ) -> None:
        """Another object; a method is its name, the types of its arguments and of its answer, and code for ``ret``."""
        self.call("AddObject", "ssa{sv}a(ssss)", path, interface, dict(properties), list(methods))

    def add_method(self, name: str, answer: str, code: str, *, interface: str = "", arguments: str = "") -> None:
        """A method of the object, or another answer of it."""
        self.call("AddMethod", "sssss", interface or self._name, name, arguments, answer, code)

    def add_properties(self, interface: str, properties: Properties, path: str = "") -> None:
        """Properties that the object does not have yet."""
        self.call("AddProperties", "sa{sv}", interface, dict(properties), path=path)

    def update(self, interface: str, properties: Properties, path: str = "") -> None:
        """Change properties, which is signalled."""
        self.call("UpdateProperties", "sa{sv}", interface, dict(properties), path=path)

    def emit(self, interface: str, name: str, signature: str, *values: tuple[str, Any], path: str = "") -> None:
        """Send a signal."""
        self.call("EmitSignal", "sssav", interface, name, signature, list(values), path=path)

    def call(self, method: str, signature: str = "", *arguments: Any, path: str = "", interface: str = _MOCK) -> Any:
        """Call a method, such as those by which the mock is told what to be."""
        address = DBusAddress(path or self._path, self._name, interface)
        message = new_method_call(address, method, signature or None, arguments)
        reply = self._connection.send_and_get_reply(message, timeout=_END_SECONDS)
        if reply.header.message_type.name == "error":
            raise DBusErrorResponse(reply)
        return reply.body

    def hang(self) -> None:
        """Keep the name, and answer nothing any more."""
        self._process.send_signal(signal.SIGSTOP)

    def recover(self) -> None:
        """Answer what was asked in the meantime, and go on."""
        self._process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        """Leave the bus, as after a crash."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait(_END_SECONDS)
