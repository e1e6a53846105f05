"""A real Wayland desktop for tests: sway (wlroots) without a screen, without a tray, with a clipboard and a keyboard.

``swaymsg`` tells its windows, ``wtype`` types, ``wl-copy`` owns the clipboard, ``grim`` takes pictures. There is no X
server and no session bus. Everything waits for what can be seen, and nothing is left of it at the end.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtGui import QImage

from tests.support.environment.virtual_pointer import VirtualPointer
from tests.support.environment.x11_desktop import LIMIT_SECONDS, ProgramsOfADesktop, Shown, wait_for

PROGRAMS = ("sway", "swaymsg", "grim", "wtype", "wl-copy")
_OUTPUT = "HEADLESS-1"
_NOBODY = 65534
_KEYMAP_MILLISECONDS = "300"  # until a program has the keymap of a keyboard that has just come
_PERSONAL = ("DBUS_", "XDG_", "QT_", "GTK_", "LC_", "WAYLAND_", "DESKTOP_", "WORKERBEE_HOME", "LANG", "DISPLAY")
_CONFIGURATION = """
xwayland disable
output * resolution {size} position 0 0 scale {scale}
default_border none
focus_on_window_activation focus
"""
_numbers = itertools.count(1)
_IPC_MAGIC, _IPC_SUBSCRIBE = b"i3-ipc", 2
_IPC_HEADER = struct.Struct("=6sII")


@dataclass(frozen=True)
class Toplevel:
    """A window as the compositor knows it; sizes are in its own pixels, before scaling."""

    number: int
    title: str
    app_id: str
    width: int
    height: int
    is_focused: bool
    is_visible: bool
    middle: tuple[int, int]


class WaylandDesktop(ProgramsOfADesktop):
    """``with WaylandDesktop(folder) as desktop:``; the folder is for logs, and is the home of who has none.

    A window fills the screen, or has the size that it asks for.
    """

    def __init__(
        self, folder: Path, size: tuple[int, int] = (1180, 820), scale: float = 1.0, *, fills_screen: bool = True
    ) -> None:
        super().__init__(folder)
        self._size, self._scale, self._fills_screen = size, scale, fills_screen

    def window(self, program: Shown, words: str = "", seconds: float = LIMIT_SECONDS) -> Toplevel:
        """The window of a program with those words in its title; waits for it."""

        def look() -> Toplevel | None:
            return next((each for each in self.windows(program) if words in each.title), None)

        return wait_for(look, f"a window of {program.pid} with “{words}” in its title", seconds)

    def windows(self, program: Shown | None = None) -> list[Toplevel]:
        """All windows of a program, or of all programs."""
        tree = json.loads(self._ask("-t", "get_tree"))
        return [_toplevel(node) for node in _nodes(tree) if program is None or node.get("pid") == program.pid]

    @property
    def environment(self) -> Mapping[str, str]:
        """What a program needs to find this desktop, beside what every program has."""
        return self._environment

    @contextlib.contextmanager
    def new_windows(self) -> Iterator[Callable[[float], float]]:
        """Gives a function that waits so many seconds for the next window; raises TimeoutError.

        It returns when the compositor had the window's first picture, in seconds on the monotonic clock. The protocol
        is that of sway-ipc(7).
        """
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self._environment["SWAYSOCK"])
            words = b'["window"]'
            connection.sendall(_IPC_HEADER.pack(_IPC_MAGIC, len(words), _IPC_SUBSCRIBE) + words)
            assert _ipc_message(connection) == {"success": True}

            def next_window(seconds: float) -> float:
                deadline = time.monotonic() + seconds
                while True:
                    connection.settimeout(max(0.0, deadline - time.monotonic()))
                    if _ipc_message(connection).get("change") == "new":
                        return time.monotonic()

            yield next_window

    def type(self, window: Toplevel, *words: str) -> None:
        """Give a window the keyboard, and type as wtype(1) is told: ``-M ctrl -k v -m ctrl``, ``-k Return``."""
        self._ask(f"[con_id={window.number}]", "focus")
        subprocess.run(
            ["wtype", "-s", _KEYMAP_MILLISECONDS, *words], env=self._environment, check=True, timeout=LIMIT_SECONDS
        )

    def mouse(self) -> VirtualPointer:
        """A mouse, to be used in a ``with`` statement; without one the desktop has none."""
        return VirtualPointer(self._environment["WAYLAND_DISPLAY"], self._size)

    def close(self, window: Toplevel) -> None:
        """Ask a window to close, as its cross does."""
        self._ask(f"[con_id={window.number}]", "kill")

    def crash(self) -> None:
        """The compositor dies, and with it every connection to it."""
        self._sway.process.kill()

    def copy(self, text: str) -> None:
        """Put a text onto the clipboard."""
        self.launch(["wl-copy", "--foreground", "--", text], "wl-copy")
        wait_for(lambda: self._pasted() == text, "that text on the clipboard")

    def picture(self, path: Path) -> QImage:
        """What the whole screen looks like now."""
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["grim", str(path)], env=self._environment, check=True, timeout=LIMIT_SECONDS)
        return QImage(str(path))

    def _begin(self) -> None:
        session = Path(self._ends.enter_context(tempfile.TemporaryDirectory(prefix="wl-")))
        runtime = Path(self._ends.enter_context(tempfile.TemporaryDirectory(prefix="sway-")))
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_PERSONAL)}
        self._environment = {
            **kept,
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(session),
            "XDG_SESSION_TYPE": "wayland",
        }
        configuration = runtime / "sway.conf"
        configuration.write_text(_CONFIGURATION.format(size="x".join(map(str, self._size)), scale=self._scale))
        if not self._fills_screen:
            with configuration.open("a") as more:
                more.write('for_window [app_id=".*"] floating enable\n')
        without_hardware = {"WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"}
        command = ["sway", "--config", str(configuration)]
        if os.geteuid() == 0:  # as whom sway refuses to run
            os.chown(runtime, _NOBODY, _NOBODY)
            command = ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", *command]
        self._sway = sway = self.launch(command, "sway", XDG_RUNTIME_DIR=str(runtime), **without_hardware)

        def socket_in(pattern: str) -> Path | None:
            assert sway.process.poll() is None, sway.words
            return next((path for path in runtime.glob(pattern) if path.is_socket()), None)

        self._environment["WAYLAND_DISPLAY"] = str(wait_for(lambda: socket_in("wayland-*"), "a Wayland socket"))
        self._environment["SWAYSOCK"] = str(wait_for(lambda: socket_in("sway-ipc.*"), "sway's own socket"))
        wait_for(lambda: _OUTPUT in self._ask("-t", "get_outputs"), "a screen")

    def _ask(self, *words: str) -> str:
        done = subprocess.run(
            ["swaymsg", *words], env=self._environment, capture_output=True, text=True, timeout=LIMIT_SECONDS
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _pasted(self) -> str:
        done = subprocess.run(
            ["wl-paste", "--no-newline"], env=self._environment, capture_output=True, text=True, timeout=LIMIT_SECONDS
        )
        return done.stdout


def _ipc_message(connection: socket.socket) -> dict[str, Any]:
    """The next answer or event; a timeout may come between two of them only."""
    header = _received(connection, _IPC_HEADER.size)
    _, length, _ = _IPC_HEADER.unpack(header)
    message: dict[str, Any] = json.loads(_received(connection, length))
    return message


def _received(connection: socket.socket, length: int) -> bytes:
    received = b""
    while len(received) < length:
        received += connection.recv(length - len(received))
    return received


def _nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The windows of a tree."""
    inner = [*tree.get("nodes", ()), *tree.get("floating_nodes", ())]
    if not inner and tree.get("app_id") is not None:
        yield tree
    for node in inner:
        yield from _nodes(node)


def _toplevel(node: dict[str, Any]) -> Toplevel:
    return Toplevel(
        number=node["id"],
        title=node["name"] or "",
        app_id=node["app_id"],
        width=node["rect"]["width"],
        height=node["rect"]["height"],
        is_focused=node["focused"],
        is_visible=node["visible"],
        middle=(node["rect"]["x"] + node["rect"]["width"] // 2, node["rect"]["y"] + node["rect"]["height"] // 2),
    )
