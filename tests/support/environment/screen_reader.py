"""A screen reader for tests: it asks a program for its widgets over the accessibility bus, and uses them.

The bus and its registry are those of AT-SPI 2 (at-spi2-core), on a session bus of the test's own. The interfaces are
those of https://gnome.pages.gitlab.gnome.org/at-spi2-core/devel-docs/; the roles have the numbers of its ``AtspiRole``,
the states those of its ``AtspiStateType``.
"""

from __future__ import annotations

import contextlib
from collections import deque
from dataclasses import dataclass
from typing import Any, Self

from jeepney import DBusAddress, MatchRule, MessageType, new_method_call
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from jeepney.wrappers import DBusErrorResponse

from tests.support.environment.session_bus import session_bus
from tests.support.environment.x11_desktop import LIMIT_SECONDS, wait_for

_ATSPI = "org.a11y.atspi"
_ROOT = "/org/a11y/atspi/accessible/root"
_REGISTRY = DBusAddress("/org/a11y/atspi/registry", f"{_ATSPI}.Registry", f"{_ATSPI}.Registry")
_STATES = {"enabled": 8, "focusable": 11, "showing": 25, "visible": 30}
ANNOUNCEMENT = "Announcement"
_MOST_ANNOUNCEMENTS = 1000
_LOOK_SECONDS = 0.2


@dataclass(frozen=True)
class Widget:
    """What a program tells of one of its widgets; ``role`` is AT-SPI's name of it, ``value`` that of a bar."""

    place: tuple[str, str]
    role: str
    name: str
    description: str
    states: frozenset[str]
    value: float | None

    @property
    def is_used(self) -> bool:
        """Whether a person can act on it now."""
        return {"showing", "enabled", "focusable"} <= self.states


class ScreenReader:
    """``with ScreenReader() as reader:``; programs find it by ``reader.environment``."""

    def __init__(self) -> None:
        self._ends = contextlib.ExitStack()
        self.environment: dict[str, str] = {}

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as ends:
            address = ends.enter_context(session_bus())
            session = ends.enter_context(open_dbus_connection(address))
            self.environment = {"DBUS_SESSION_BUS_ADDRESS": address}
            bus = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
            self._bus = ends.enter_context(open_dbus_connection(_asked(session, new_method_call(bus, "GetAddress"))[0]))
            status = bus.with_interface("org.freedesktop.DBus.Properties")
            switch = ("org.a11y.Status", "ScreenReaderEnabled", ("b", True))
            _asked(session, new_method_call(status, "Set", "ssv", switch))
            self._listen(ends)
            self._ends = ends.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def widgets(self, program: str) -> list[Widget]:
        """All widgets of the program of that name that can be seen, from its windows down."""
        places = [place for place in self._children((f"{_ATSPI}.Registry", _ROOT)) if self._name(place) == program]
        found: list[Widget] = []
        while places:
            place = places.pop(0)
            with contextlib.suppress(DBusErrorResponse):  # it may go while we look
                widget = self._widget(place)
                if "showing" in widget.states or widget.role in ("application", "frame"):
                    found.append(widget)
                    places += self._children(place)
        return found

    def widget(self, program: str, role: str, name: str, seconds: float = LIMIT_SECONDS) -> Widget:
        """The first widget of that role whose name has those words and that can be used; waits for it."""

        def look() -> Widget | None:
            mine = self.widgets(program)
            return next((each for each in mine if each.role == role and name in each.name and each.is_used), None)

        return wait_for(look, f"a {role} “{name}”", seconds)

    def press(self, widget: Widget) -> None:
        """Do what a click on it does."""
        self._call(widget.place, "Action", "DoAction", "i", (0,))

    def focus(self, widget: Widget) -> None:
        """Put the keyboard's focus on it."""
        self._call(widget.place, "Component", "GrabFocus")

    def write(self, widget: Widget, text: str) -> None:
        """Put a text into it, in the place of what was there."""
        self._call(widget.place, "EditableText", "SetTextContents", "s", (text,))

    def announced(self) -> list[str]:
        """What has been announced so far."""
        with contextlib.suppress(TimeoutError):
            while True:
                self._bus.recv_messages(timeout=_LOOK_SECONDS)
        return [str(message.body[3][1]) for message in self._signals]

    def _listen(self, ends: contextlib.ExitStack) -> None:
        rule = MatchRule(type="signal", interface=f"{_ATSPI}.Event.Object", member=ANNOUNCEMENT)
        _asked(self._bus, message_bus.AddMatch(rule))
        _asked(self._bus, new_method_call(_REGISTRY, "RegisterEvent", "s", ("object:announcement",)))
        self._signals: deque[Any] = ends.enter_context(self._bus.filter(rule, bufsize=_MOST_ANNOUNCEMENTS))

    def _widget(self, place: tuple[str, str]) -> Widget:
        (role,) = self._call(place, "Accessible", "GetRoleName")
        ((low, high),) = self._call(place, "Accessible", "GetState")
        bits = low | high << 32
        states = frozenset(name for name, number in _STATES.items() if bits >> number & 1)
        value = self._property(place, "Value", "CurrentValue") if role == "progress bar" else None
        return Widget(place, role, self._name(place), self._property(place, "Accessible", "Description"), states, value)

    def _name(self, place: tuple[str, str]) -> str:
        with contextlib.suppress(DBusErrorResponse):
            return str(self._property(place, "Accessible", "Name"))
        return ""

    def _children(self, place: tuple[str, str]) -> list[tuple[str, str]]:
        (children,) = self._call(place, "Accessible", "GetChildren")
        return [(name, path) for name, path in children]

    def _property(self, place: tuple[str, str], interface: str, name: str) -> Any:
        address = DBusAddress(place[1], place[0], "org.freedesktop.DBus.Properties")
        body = (f"{_ATSPI}.{interface}", name)
        return _asked(self._bus, new_method_call(address, "Get", "ss", body))[0][1]

    def _call(
        self, place: tuple[str, str], interface: str, method: str, signature: str | None = None, body: Any = ()
    ) -> Any:
        address = DBusAddress(place[1], place[0], f"{_ATSPI}.{interface}")
        return _asked(self._bus, new_method_call(address, method, signature, body))


def _asked(connection: DBusConnection, message: Any) -> Any:
    """The answer's body; raises DBusErrorResponse, and TimeoutError."""
    answer = connection.send_and_get_reply(message, timeout=LIMIT_SECONDS)
    if answer.header.message_type is MessageType.error:
        raise DBusErrorResponse(answer)
    return answer.body
