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
        """Ask the server."""
        info = _ScreenSaverInfo()
        is_told = self._display and not self._is_lost
        is_told = is_told and self._screen_saver.XScreenSaverQueryInfo(self._display, self._root, ctypes.byref(info))
        self.idle_seconds = info.idle / _MILLISECONDS if is_told and not self._is_lost else None

    def close(self) -> None:
        """Leave the server."""
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
        """Without this, Xlib ends the whole process when the server is gone (libX11 before 1.7 always does)."""
        set_handler = getattr(self._x11, "XSetIOErrorExitHandler", None)
        if set_handler is not None:
            self._on_exit = _ExitHandler(self._on_lost)  # kept, because Xlib does not
            set_handler.argtypes = [ctypes.c_void_p, _ExitHandler, ctypes.c_void_p]
            set_handler(self._display, self._on_exit, None)

    def _on_lost(self, _display: object, _data: object) -> None:
        self._is_lost = True
