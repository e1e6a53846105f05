"""Properties of an X server's windows, read through libxcb (https://xcb.freedesktop.org/).

Not through Xlib, which tells of an error, such as that of a window that has just been closed, and of the end of the
server in handlers that the whole process shares; as long as nobody changes them, both end the process.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator
from typing import Any

ATOM, CARDINAL, STRING, WINDOW = 4, 6, 31, 33
"""Types of properties, of those that every server has."""
_LONGEST_BYTES = 1024
_WORD_BYTES = 4


class _Cookie(ctypes.Structure):
    """``xcb_get_property_cookie_t`` and the other cookies: the number of a request."""

    _fields_ = (("sequence", ctypes.c_uint),)


class _Screens(ctypes.Structure):
    """``xcb_screen_iterator_t``; a screen begins with its root window."""

    _fields_ = (("data", ctypes.c_void_p), ("rem", ctypes.c_int), ("index", ctypes.c_int))


class _Atom(ctypes.Structure):
    """``xcb_intern_atom_reply_t``."""

    _fields_ = (("head", ctypes.c_uint32 * 2), ("atom", ctypes.c_uint32))


class _Property(ctypes.Structure):
    """``xcb_get_property_reply_t``, after which the value follows."""

    _fields_ = (
        ("response_type", ctypes.c_uint8),
        ("format", ctypes.c_uint8),
        ("sequence", ctypes.c_uint16),
        ("length", ctypes.c_uint32),
        ("type", ctypes.c_uint32),
        ("bytes_after", ctypes.c_uint32),
        ("value_length", ctypes.c_uint32),
        ("padding", ctypes.c_uint8 * 12),
    )


class X11Properties:
    """A connection of its own to a display such as ``:0``; raises OSError where there is no such server or library.

    An answer of the server takes less than a tenth of a millisecond; one that hangs is waited for.
    """

    def __init__(self, display: str) -> None:
        self._xcb: Any = ctypes.CDLL("libxcb.so.1")
        self._free: Any = ctypes.CDLL(None).free
        self._declare()
        self._atoms: dict[str, int] = {}
        self._connection = ctypes.c_void_p(self._xcb.xcb_connect(os.fsencode(display), None))
        try:
            self._check()
        except OSError:
            self.close()
            raise
        self.root = ctypes.c_uint32.from_address(self._xcb.xcb_setup_roots_iterator(self._setup()).data).value

    def numbers(self, window: int, name: str, kind: int) -> tuple[int, ...] | None:
        """The value of a property of 32-bit numbers, empty where the window has none of that name, or has gone.

        ``None`` where it is of another type, or too long. Raises OSError at the end of the server.
        """
        value = self._value(window, name, kind, 32)
        return None if value is None else tuple(memoryview(value).cast("I"))

    def words(self, window: int, name: str) -> tuple[bytes, ...] | None:
        """The value of a property of texts, each of which ends with a zero; see ``numbers``."""
        value = self._value(window, name, STRING, 8)
        return None if value is None else tuple(value.split(b"\0")[:-1])

    def atom(self, name: str) -> int:
        """The server's number for a name; raises OSError at the end of the server."""
        if name not in self._atoms:
            cookie = self._xcb.xcb_intern_atom(self._connection, 0, len(name), name.encode())
            with self._reply(self._xcb.xcb_intern_atom_reply, cookie) as place:
                self._atoms[name] = 0 if place is None else _Atom.from_address(place).atom
        return self._atoms[name]

    def close(self) -> None:
        """Leave the server for good."""
        self._xcb.xcb_disconnect(self._connection)

    def _value(self, window: int, name: str, kind: int, bits: int) -> bytes | None:
        words = _LONGEST_BYTES // _WORD_BYTES
        cookie = self._xcb.xcb_get_property(self._connection, 0, window, self.atom(name), kind, 0, words)
        with self._reply(self._xcb.xcb_get_property_reply, cookie) as place:
            if place is None:  # an error, which is that there is no such window
                return b""
            told = _Property.from_address(place)
            if told.type == 0:
                return b""
            if (told.type, told.format, told.bytes_after) != (kind, bits, 0):
                return None
            length = told.value_length * (bits // 8)
            return ctypes.string_at(place + ctypes.sizeof(_Property), length) if length <= _LONGEST_BYTES else None

    @contextlib.contextmanager
    def _reply(self, wait: Any, cookie: _Cookie) -> Iterator[int | None]:
        """Where the reply is until it is given back, ``None`` where it is an error; raises OSError without a server."""
        error = ctypes.c_void_p()
        place: int | None = wait(self._connection, cookie, ctypes.byref(error))
        try:
            self._check()
            yield place
        finally:
            self._free(place)
            self._free(error)

    def _check(self) -> None:
        if self._xcb.xcb_connection_has_error(self._connection):
            raise ConnectionError("the X server is not there, or not any more")

    def _setup(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self._xcb.xcb_get_setup(self._connection))

    def _declare(self) -> None:
        pointer, word, byte = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint8
        for name, result, arguments in (
            ("xcb_connect", pointer, [ctypes.c_char_p, pointer]),
            ("xcb_connection_has_error", ctypes.c_int, [pointer]),
            ("xcb_disconnect", None, [pointer]),
            ("xcb_get_setup", pointer, [pointer]),
            ("xcb_setup_roots_iterator", _Screens, [pointer]),
            ("xcb_intern_atom", _Cookie, [pointer, byte, ctypes.c_uint16, ctypes.c_char_p]),
            ("xcb_intern_atom_reply", pointer, [pointer, _Cookie, pointer]),
            ("xcb_get_property", _Cookie, [pointer, byte, word, word, word, word, word]),
            ("xcb_get_property_reply", pointer, [pointer, _Cookie, pointer]),
        ):
            function = getattr(self._xcb, name)
            function.restype, function.argtypes = result, arguments
        self._free.restype, self._free.argtypes = None, [pointer]
