"""The properties of an object of another program on the message bus, current through its own signals."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtDBus import QDBusConnection

from app.desktop.dbus import subscribe
from app.observers.service_answer import RETRY_SECONDS, ServiceAnswer
from core.observers.desktop_bus.readings import Properties
from core.observers.desktop_bus.services import Target

_PROPERTIES = "org.freedesktop.DBus.Properties"


class ServiceProperties(ServiceAnswer):
    """The properties of a target; each has the type that is asked for, or is ``None``."""

    def __init__(
        self,
        bus: QDBusConnection,
        target: Target,
        parent: QObject | None = None,
        *,
        is_alias: bool = False,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """``is_alias``: the path is another name of an object, whose signals come from its own path."""
        self._interface, self._is_alias = target.interface, is_alias
        properties = Target(target.service, target.path, _PROPERTIES)
        arguments = (target.interface,)
        super().__init__(
            bus, properties, "GetAll", parent, arguments=arguments, reply="a{sv}", retry_seconds=retry_seconds
        )
        path = "" if is_alias else target.path
        signal = (target.service, path, _PROPERTIES, "PropertiesChanged")
        subscribe(bus, signal, self, "on_changed(QString,QVariantMap,QStringList)")

    @property
    def is_there(self) -> bool:
        """Whether the object has told its properties."""
        return self.value is not None

    def flag(self, name: str) -> bool | None:
        """A property that is true or false."""
        return Properties(self.value).flag(name)

    def number(self, name: str, lowest: float, highest: float) -> float | None:
        """A property that is a number within these bounds."""
        return Properties(self.value).number(name, lowest, highest)

    def text(self, name: str) -> str | None:
        """A property that is a text."""
        return Properties(self.value).text(name)

    @Slot(str, "QVariantMap", "QStringList")
    def on_changed(self, interface: str, changed: dict[str, object], invalidated: list[str]) -> None:
        """Receive new values of some properties, or that some have values that must be asked for."""
        if interface != self._interface:
            return
        if self._is_alias or invalidated or self.value is None:
            self.ask()
        else:
            self.value = {**self._values, **changed}
            self.answered.emit()

    @property
    def _values(self) -> dict[str, object]:
        return self.value if isinstance(self.value, dict) else {}
