"""The idle time of a Wayland session: with a real compositor, and with stand-ins that are newer, poorer or broken."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from pytestqt.qtbot import QtBot

from app.observers.wayland_idle import WaylandIdle
from tests.app.support.kwin import kwin, move_mouse
from tests.support.environment.wayland_desktop import PROGRAMS, WaylandDesktop

LIMIT = 60_000
IDLE_AFTER_SECONDS = 3.0  # longer than a busy computer stands still: who moves would be idle again before it is seen
SWAY_WITH_IDLE_NOTIFY = (1, 8)


def sway_version() -> tuple[int, ...]:
    if any(shutil.which(program) is None for program in PROGRAMS):
        return (0,)
    said = subprocess.run(["sway", "--version"], capture_output=True, text=True, timeout=60).stdout
    return tuple(int(part) for part in re.findall(r"\d+", said)[:2])


@contextmanager
def in_sway(folder: Path) -> Iterator[tuple[dict[str, str], Callable[[], None]]]:
    with WaylandDesktop(folder) as desktop, desktop.mouse() as mouse:
        places = iter(range(50, 1000, 50))
        yield dict(desktop.environment), lambda: mouse.move(next(places), 50)


@contextmanager
def in_kwin(folder: Path) -> Iterator[tuple[dict[str, str], Callable[[], None]]]:
    with kwin(folder) as session:
        yield dict(session), lambda: move_mouse(session)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_person_who_goes_and_comes_back(
    qtbot: QtBot, parent: QObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if sway_version() >= SWAY_WITH_IDLE_NOTIFY:
        compositor = in_sway
    elif shutil.which("kwin_wayland"):
        compositor = in_kwin
    else:
        pytest.skip("needs a compositor with ext-idle-notify-v1: sway 1.8 or later, or KWin")
    with compositor(tmp_path_factory.mktemp("w")) as (environment, move):
        idle = WaylandIdle(environment, parent, idle_after_seconds=IDLE_AFTER_SECONDS)
        qtbot.waitUntil(lambda: (idle.idle_seconds or 0) >= 1.5, timeout=LIMIT)
        move()
        qtbot.waitUntil(lambda: idle.idle_seconds == 0.0, timeout=LIMIT)
        qtbot.waitUntil(lambda: (idle.idle_seconds or 0) >= 1.0, timeout=LIMIT)
    qtbot.waitUntil(lambda: idle.idle_seconds is None, timeout=LIMIT)


class Compositor(QLocalServer):
    """Stands for one that has these globals, by number their interface and version; it notes every request."""

    def __init__(self, place: Path, offered: list[tuple[str, int]], parent: QObject) -> None:
        super().__init__(parent)
        self._offered = offered
        self.requests: list[tuple[int, int, bytes]] = []
        self.client: QLocalSocket | None = None
        self.newConnection.connect(self._on_client)
        assert self.listen(str(place))

    def send(self, sender: int, opcode: int, words: bytes = b"") -> None:
        """Send an event."""
        self.send_raw(struct.pack("=II", sender, (8 + len(words)) << 16 | opcode) + words)

    def send_raw(self, words: bytes) -> None:
        """Send whatever this is."""
        assert self.client is not None
        self.client.write(words)
        self.client.flush()

    def hang_up(self) -> None:
        """End the connection."""
        assert self.client is not None
        self.client.abort()

    def _on_client(self) -> None:
        self.client = self.nextPendingConnection()
        self.client.readyRead.connect(self._on_request)
        for number, (interface, version) in enumerate(self._offered, 1):
            name = interface.encode() + b"\0"
            padded = name + b"\0" * (-len(name) % 4)
            self.send(2, 0, struct.pack("=II", number, len(name)) + padded + struct.pack("=I", version))

    def _on_request(self) -> None:
        assert self.client is not None
        words = bytes(self.client.readAll().data())
        while words:
            sender, rest = struct.unpack_from("=II", words)
            self.requests.append((sender, rest & 0xFFFF, words[8 : rest >> 16]))
            words = words[rest >> 16 :]


def connected(
    qtbot: QtBot, parent: QObject, folder: Path, offered: list[tuple[str, int]]
) -> tuple[Compositor, WaylandIdle]:
    compositor = Compositor(folder / "wl", offered, parent)
    idle = WaylandIdle({"XDG_RUNTIME_DIR": str(folder), "WAYLAND_DISPLAY": "wl"}, parent)
    qtbot.waitUntil(lambda: compositor.requests != [], timeout=LIMIT)
    return compositor, idle


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Whose path is short enough for a socket."""
    return tmp_path_factory.mktemp("w")


@pytest.mark.parametrize(("version", "opcode"), [(1, 1), (2, 2), (9, 2)])
def test_the_newer_protocol_is_asked_for_input_only(
    qtbot: QtBot, parent: QObject, folder: Path, version: int, opcode: int
) -> None:
    offered = [("wl_compositor", 5), ("ext_idle_notifier_v1", version), ("wl_seat", 8), ("wl_seat", 8)]
    compositor, idle = connected(qtbot, parent, folder, offered)
    qtbot.waitUntil(lambda: len(compositor.requests) == 4, timeout=LIMIT)
    assert idle.idle_seconds == 0.0
    assert compositor.requests[-1] == (3, opcode, struct.pack("=III", 5, 5000, 4))
    compositor.send(5, 0)
    qtbot.waitUntil(lambda: (idle.idle_seconds or 0) >= 5.0, timeout=LIMIT)
    compositor.send(5, 1)
    qtbot.waitUntil(lambda: idle.idle_seconds == 0.0, timeout=LIMIT)


def test_a_compositor_without_the_protocol_is_one_that_cannot_tell(qtbot: QtBot, parent: QObject, folder: Path) -> None:
    compositor, idle = connected(qtbot, parent, folder, [("wl_seat", 8), ("wl_shm", 1)])
    qtbot.waitUntil(lambda: len(compositor.requests) == 2, timeout=LIMIT)
    assert idle.idle_seconds is None


@pytest.mark.parametrize(
    ("sender", "opcode", "words"),
    [(1, 0, struct.pack("=III", 1, 1, 4) + b"bad\0"), (0, 0, b""), (2, 0, b"")],
    ids=["an error", "nobody's event", "a global of no length"],
)
def test_a_compositor_that_errs_does_no_harm(
    qtbot: QtBot, parent: QObject, folder: Path, sender: int, opcode: int, words: bytes
) -> None:
    compositor, idle = connected(qtbot, parent, folder, [("ext_idle_notifier_v1", 1), ("wl_seat", 8)])
    qtbot.waitUntil(lambda: idle.idle_seconds == 0.0, timeout=LIMIT)
    compositor.send(sender, opcode, words)
    compositor.send_raw(struct.pack("=II", 5, 3 << 16))  # smaller than its own header
    qtbot.waitUntil(lambda: idle.idle_seconds is None, timeout=LIMIT)


def test_a_compositor_that_hangs_up_tells_no_more(qtbot: QtBot, parent: QObject, folder: Path) -> None:
    compositor, idle = connected(qtbot, parent, folder, [("ext_idle_notifier_v1", 1), ("wl_seat", 8)])
    qtbot.waitUntil(lambda: idle.idle_seconds == 0.0, timeout=LIMIT)
    compositor.hang_up()
    qtbot.waitUntil(lambda: idle.idle_seconds is None, timeout=LIMIT)


@pytest.mark.parametrize("environment", [{}, {"XDG_RUNTIME_DIR": "/nonexistent"}, {"WAYLAND_DISPLAY": "wayland-9"}])
def test_without_a_compositor_there_is_nothing(parent: QObject, environment: dict[str, str]) -> None:
    assert WaylandIdle(environment, parent).idle_seconds is None
