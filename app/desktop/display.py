"""Whether a window can be opened here, found out before Qt is loaded, which would end the process where it cannot."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

_ANSWER_SECONDS = 2.0
_QT = "PySide6-Essentials>=6.9,<6.12"
# what Qt's X11 plugin loads, and the package of Debian and Ubuntu that has it
_X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libEGL.so.1": "libegl1",
}


def is_display_there(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this session of the person has something to open windows on."""
    if not sys.platform.startswith("linux"):
        return True
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def why_no_window(environment: Mapping[str, str] = os.environ) -> str:
    """What is missing, and the command that mends it; nothing if nothing is."""
    if find_spec("PySide6") is None:
        return f"The window needs Qt, which is not installed. Install it with:\n  {_pip_command()}"
    if not sys.platform.startswith("linux"):
        return ""
    reasons = []
    for platform in _platforms(environment):
        if not (reason := _why_not(platform, environment)):
            return ""
        reasons.append(reason)
    return "\n".join(reasons)


def _platforms(environment: Mapping[str, str]) -> list[str]:
    """Those that Qt tries, one after the other: what a person has named, or else Wayland and then X11."""
    if named := environment.get("QT_QPA_PLATFORM"):
        return [name.partition(":")[0] for name in named.split(";")]
    displays = {"wayland": "WAYLAND_DISPLAY", "xcb": "DISPLAY"}
    return [platform for platform, variable in displays.items() if environment.get(variable)] or ["xcb"]


def _why_not(platform: str, environment: Mapping[str, str]) -> str:
    if platform.startswith("wayland"):
        return _why_no_wayland(environment)
    return _why_no_x11(environment.get("DISPLAY", "")) if platform == "xcb" else ""


def _why_no_wayland(environment: Mapping[str, str]) -> str:
    if environment.get("WAYLAND_SOCKET"):  # a connection that somebody has opened for us
        return ""
    name = environment.get("WAYLAND_DISPLAY", "wayland-0")
    place = Path(environment.get("XDG_RUNTIME_DIR", "")) / name
    if not place.is_absolute():
        return f"The Wayland display “{name}” cannot be found: XDG_RUNTIME_DIR, the folder of your session, is not set."
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_ANSWER_SECONDS)
        try:
            connection.connect(str(place))
        except OSError:
            return f"The Wayland display “{place}” does not answer; log in again, or unset WAYLAND_DISPLAY."
    return ""


def _pip_command() -> str:
    return f'"{sys.executable}" -m pip install "{_QT}"'


def _why_no_x11(display: str) -> str:
    missing = [package for library, package in _X11_LIBRARIES.items() if not _can_load(library)]
    if missing:
        packages = " ".join(missing)
        return f"The window needs libraries that this system lacks. Install them with:\n  sudo apt install {packages}"
    if not _answers(display):
        return f"The display “{display}” does not answer; on a screen of yours, unset DISPLAY or mend it."
    return ""


def _can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _answers(display: str) -> bool:
    """Whether an X server is there and lets us in."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return False
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(display.encode(), None))
    try:
        return not xcb.xcb_connection_has_error(connection)
    finally:
        xcb.xcb_disconnect(connection)
