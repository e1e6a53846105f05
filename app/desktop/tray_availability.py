"""Whether the desktop's panel is there to hold a tray icon.

WORKAROUND: Qt looks for a tray once in a process. A program that starts at login, before the panel, would never get
its icon; so Qt is not asked before the panel has been found here.
"""

from __future__ import annotations

import ctypes
import sys

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage
from PySide6.QtGui import QGuiApplication

from app.desktop.dbus import call_async, unwrap_variant

POLL_SECONDS = 1.0
PATIENCE_SECONDS = 30.0
SLOW_POLL_SECONDS = 15.0
_WATCHER = "org.kde.StatusNotifierWatcher"
_PLATFORMS_WITHOUT_TRAY = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs")


class TrayHost(QObject):
    """Polls until it has found a panel, of the newer kind on D-Bus or of the older kind on the X server.

    Signals:
        appeared: a panel is there; emitted once.
        missing: there is none after the time of patience; emitted once, and it goes on polling less often.
    """

    appeared = Signal()
    missing = Signal()

    def __init__(
        self, bus: QDBusConnection, parent: QObject | None = None, *, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        super().__init__(parent)
        self._bus, self._patience_seconds = bus, patience_seconds
        self._is_missing = False
        self._polls = 0
        self._timer = QTimer(self, interval=int(POLL_SECONDS * 1000))
        self._timer.timeout.connect(self._poll)

    def start(self) -> None:
        """Start to poll; a platform that never has a tray is said to miss one at once."""
        if QGuiApplication.platformName() in _PLATFORMS_WITHOUT_TRAY:
            self._miss()
        elif not sys.platform.startswith("linux"):
            self._find()
        else:
            self._timer.start()
            self._poll()

    @Slot(QDBusMessage)
    def on_reply(self, reply: QDBusMessage) -> None:
        """Receive the watcher's answer: whether a panel shows icons."""
        if unwrap_variant(reply) is True:
            self._find()

    @Slot()
    def on_no_reply(self) -> None:
        """Go on polling: no panel has registered the name."""

    def _poll(self) -> None:
        self._polls += 1
        call = QDBusMessage.createMethodCall(
            _WATCHER, "/StatusNotifierWatcher", "org.freedesktop.DBus.Properties", "Get"
        )
        call.setArguments([_WATCHER, "IsStatusNotifierHostRegistered"])
        call_async(self._bus, call, self, "on_reply", "on_no_reply")
        if is_x11_tray_there():
            self._find()
        elif self._polls * POLL_SECONDS >= self._patience_seconds:
            self._miss()

    def _find(self) -> None:
        was_polling = self._timer.isActive() or not self._polls
        self._timer.stop()
        if was_polling:
            self.appeared.emit()

    def _miss(self) -> None:
        self._timer.setInterval(int(SLOW_POLL_SECONDS * 1000))
        if not self._is_missing:
            self._is_missing = True
            self.missing.emit()


def is_x11_tray_there() -> bool:
    """Whether a panel of the older kind holds the selection ``_NET_SYSTEM_TRAY_S0`` of the X server."""
    if QGuiApplication.platformName() != "xcb":
        return False
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return False
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = x11.XGetSelectionOwner.restype = ctypes.c_ulong
    x11.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    x11.XGetSelectionOwner.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
    x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    display = x11.XOpenDisplay(None)
    if not display:
        return False
    try:
        selection = x11.XInternAtom(display, b"_NET_SYSTEM_TRAY_S0", False)
        return bool(x11.XGetSelectionOwner(display, selection))
    finally:
        x11.XCloseDisplay(display)
