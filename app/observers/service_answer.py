"""The answer of another program on the message bus, kept as current as its signals make it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtDBus import QDBusConnection, QDBusError, QDBusMessage, QDBusServiceWatcher

from app.desktop.dbus import call_async, subscribe, unwrap_variant
from core.observers.desktop_bus.services import ABSENT_ERRORS, Target

RETRY_SECONDS = 30.0
# by libdbus itself, when the connection ends
_DISCONNECTED = ("", "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local", "Disconnected")
_SLOTS = {"": "on_message", "a{sv}": "on_values(QVariantMap)", "as": "on_texts(QStringList)"}


class ServiceAnswer(QObject):
    """Calls a method when its service appears, when one of some signals arrives, and when it is told to.

    The service is never started by it. A service that fails or hangs is asked again after ``retry_seconds``.

    Signals:
        answered: there is an answer, the same or another, or there is none any more.

    Attributes:
        value: the first value of the answer; ``None`` until there is one, and after a failure.
        is_absent: whether it is known that nobody has the service's name.
    """

    answered = Signal()

    def __init__(
        self,
        bus: QDBusConnection,
        target: Target,
        method: str,
        parent: QObject | None = None,
        *,
        arguments: Sequence[object] = (),
        reply: str = "",
        signals: Sequence[str] = (),
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """``reply`` is the answer's D-Bus type where it is ``a{sv}`` or ``as``; ``signals`` come from the same object,
        and are named with their interfaces."""
        super().__init__(parent)
        self._bus, self._target, self._method = bus, target, method
        self._arguments, self._slot = list(arguments), _SLOTS[reply]
        self.value: object = None
        self.is_absent = False
        self._is_asking = self._is_outdated = False
        self._retry = QTimer(self, singleShot=True, interval=int(retry_seconds * 1000))
        self._retry.timeout.connect(self.ask)
        for each in signals:
            interface, _, name = each.rpartition(".")
            subscribe(bus, (target.service, target.path, interface, name), self, "ask()")
        subscribe(bus, _DISCONNECTED, self, "on_disconnected()")
        mode = QDBusServiceWatcher.WatchModeFlag.WatchForOwnerChange
        self._watcher = QDBusServiceWatcher(target.service, bus, mode, self)
        self._watcher.serviceOwnerChanged.connect(self._on_owner_changed)
        self.ask()

    @Slot()
    def ask(self) -> None:
        """Ask now, or once more after the answer that is waited for."""
        if self._is_asking:
            self._is_outdated = True
            return
        call = QDBusMessage.createMethodCall(
            self._target.service, self._target.path, self._target.interface, self._method
        )
        call.setArguments(self._arguments)
        self._is_asking = call_async(self._bus, call, self, self._slot, "on_error(QDBusError)")

    @Slot(QDBusMessage)
    def on_message(self, reply: QDBusMessage) -> None:
        """Receive an answer of any type that Qt can read."""
        self._accept(unwrap_variant(reply))

    @Slot("QVariantMap")
    def on_values(self, values: dict[str, object]) -> None:
        """Receive an answer of named values."""
        self._accept(values)

    @Slot("QStringList")
    def on_texts(self, texts: list[str]) -> None:
        """Receive an answer that is a list of texts."""
        self._accept(texts)

    @Slot(QDBusError)
    def on_error(self, error: QDBusError) -> None:
        """Receive the failure: there is no such service, it refuses, or it hangs."""
        self.is_absent = error.name() in ABSENT_ERRORS
        if not self.is_absent:
            self._retry.start()
        self._accept(None)

    @Slot()
    def on_disconnected(self) -> None:
        """Receive the end of the bus: nothing is heard of anybody any more."""
        self._retry.stop()
        self.value, self.is_absent = None, False
        self.answered.emit()

    def _accept(self, value: object) -> None:
        self._is_asking = False
        self.value = value
        if self._is_outdated:
            self._is_outdated = False
            self.ask()
        self.answered.emit()

    def _on_owner_changed(self, _service: str, _old: str, new: str) -> None:
        """What the last owner of the name has said is not true of the next one."""
        self._retry.stop()
        self.value, self.is_absent = None, not new
        if new:
            self.ask()
        self.answered.emit()
