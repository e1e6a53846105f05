"""Whether the desktop prefers dark windows: the setting ``color-scheme`` of its portal (org.freedesktop.appearance).

Qt asks the portal itself on some desktops only: its theme for GTK desktops, which it takes in GNOME, looks at the GTK
theme's name, which stays the same in GNOME's dark mode (Qt 6.11). The calls here never block.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusVariant

from app.desktop.dbus import call_async, subscribe, unwrap_variant

_PORTAL = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings")
_NAMESPACE, _KEY = "org.freedesktop.appearance", "color-scheme"
_IS_DARK = {1: True, 2: False}  # 0 is no preference


class PortalColorScheme(QObject):
    """Follows the portal's setting.

    Signals:
        changed: ``is_dark`` is another one.

    Attributes:
        is_dark: ``None`` while the portal has not answered, where there is none, and without a preference.
    """

    changed = Signal()

    def __init__(self, bus: QDBusConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_dark: bool | None = None
        subscribe(bus, (*_PORTAL, "SettingChanged"), self, "on_changed(QString,QString,QDBusVariant)")
        call = QDBusMessage.createMethodCall(*_PORTAL, "Read")
        call.setArguments([_NAMESPACE, _KEY])
        call_async(bus, call, self, "on_read", "on_no_portal")

    @Slot(QDBusMessage)
    def on_read(self, reply: QDBusMessage) -> None:
        """Receive the setting as it is."""
        self._set(unwrap_variant(reply))

    @Slot()
    def on_no_portal(self) -> None:
        """Receive the failure: there is no portal, or it hangs."""

    @Slot(str, str, QDBusVariant)
    def on_changed(self, namespace: str, key: str, value: QDBusVariant) -> None:
        """Receive a setting that has changed, of which there are many."""
        if (namespace, key) == (_NAMESPACE, _KEY):
            self._set(value)

    def _set(self, value: object) -> None:
        while isinstance(value, QDBusVariant):  # Read wraps the value twice
            value = value.variant()
        is_dark = _IS_DARK.get(value) if isinstance(value, int) else None
        if is_dark != self.is_dark:
            self.is_dark = is_dark
            self.changed.emit()
