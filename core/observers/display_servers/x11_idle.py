"""The idle time of an X server: its screen saver extension (https://www.x.org/releases/current/doc/scrnsaverproto/).

Only where X11 is what the person sees: under Wayland an X server knows of the input to X11's windows only.
"""

from __future__ import annotations

import ctypes
from typing import Any

_MILLISECONDS = 1000


class _ScreenSaverInfo(ctypes.Structure):
    """``XScreenSaverInfo`` of X11/extensions/scrnsaver.h."""

    _fields_ = (
        ("window", ctypes.c_ulong),
        ("state", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("til_or_since", ctypes.c_ulong),
        ("idle", ctypes.c_ulong),
        ("event_mask", ctypes.c_ulong),
    )


_Handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_ExitHandler = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class X11Idle:
    """A connection of its own to a display; an answer of the server takes less than a tenth of a millisecond.

    Attributes:
        idle_seconds: as ``refresh`` has found it; ``None`` where there is no such server, library or extension.
    """

    name = "X11"

    def __init__(self, display: str) -> None:
        self.idle_seconds: float | None = None
        self._is_lost = False
        try:
            self._x11: Any = ctypes.CDLL("libX11.so.6")
            self._screen_saver: Any = ctypes.CDLL("libXss.so.1")
        except OSError:
            self._display: ctypes.c_void_p | None = None
            return
        self._declare()
        number = self._x11.XOpenDisplay(display.encode()) if display else None
        self._display = ctypes.c_void_p(number) if number else None
        if self._display:
            self._survive_the_server()
            self._root = self._x11.XDefaultRootWindow(self._display)

    def refresh(self) -> None:
        """Ask the server, which answers at once."""
        info = _ScreenSaverInfo()
        is_told = self._display and not self._is_lost
        is_told = is_told and self._screen_saver.XScreenSaverQueryInfo(self._display, self._root, ctypes.byref(info))
        self.idle_seconds = info.idle / _MILLISECONDS if is_told and not self._is_lost else None

    def close(self) -> None:
        """Leave the server for good."""
        if self._display and not self._is_lost:
            self._x11.XCloseDisplay(self._display)
        self._display = self.idle_seconds = None

    def _declare(self) -> None:
        pointer = ctypes.c_void_p
        self._x11.XOpenDisplay.restype = pointer
        self._x11.XOpenDisplay.argtypes = [ctypes.c_char_p]
        self._x11.XDefaultRootWindow.restype = ctypes.c_ulong
        self._x11.XDefaultRootWindow.argtypes = self._x11.XCloseDisplay.argtypes = [pointer]
        self._screen_saver.XScreenSaverQueryInfo.argtypes = [pointer, ctypes.c_ulong, pointer]

    def _survive_the_server(self) -> None:
        """Xlib ends the process when a server is gone, unless neither its handler nor the display's does (libX11 1.7).

        The handler is all displays', but each ends the process by itself that has not been told otherwise.
        """
        if hasattr(self._x11, "XSetIOErrorExitHandler"):
            self._handlers = (_Handler(lambda _display: 0), _ExitHandler(self._on_lost))  # kept, as Xlib does not
            self._x11.XSetIOErrorExitHandler.argtypes = [ctypes.c_void_p, _ExitHandler, ctypes.c_void_p]
            self._x11.XSetIOErrorHandler(self._handlers[0])
            self._x11.XSetIOErrorExitHandler(self._display, self._handlers[1], None)

    def _on_lost(self, _display: object, _data: object) -> None:
        self._is_lost = True
