"""Screens of the bench's own, which show nothing to anybody: of an X server with a panel, of a Wayland compositor."""

from __future__ import annotations

import mmap
import operator
import os
import select
import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from compileall import compile_dir
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from tests.bench.setup import NotMeasured, TooLate
from tests.support.checkout import ROOT
from tests.support.environment.wayland_desktop import PROGRAMS, WaylandDesktop

WIDTH, HEIGHT = 1920, 1080
START_SECONDS = 20.0
_END_SECONDS = 5.0
_PIXEL_BYTES = 4
_LINES_APART = 20
_LINES_OF_A_WINDOW = 10  # of those that are looked at; a pointer or an icon is in one or two
_LOOK_SECONDS = 0.001
_HEADER = struct.Struct(">25I")  # of the format XWD: its own size comes first, the number of colours at 19
_COLOUR_BYTES = 12
_UNWANTED = ("WAYLAND_DISPLAY", "LANGUAGE", "QT_SCALE_FACTOR", "PYTHONDONTWRITEBYTECODE")
_NO_BUS = "unix:path=/nonexistent"
_WITHOUT_BUSES = {"DBUS_SESSION_BUS_ADDRESS": _NO_BUS, "DBUS_SYSTEM_BUS_ADDRESS": _NO_BUS}
_PANEL = ("--edge", "bottom", "--align", "right", "--widthtype", "request", "--height", "32")


class Screen(Protocol):
    """``door`` is a path for a socket, short enough for one; ``has_panel`` tells of a tray for icons."""

    door: Path
    has_panel: bool

    def begin(self) -> None:
        """Remember what can be seen now, before a window is opened."""

    def await_window(self, seconds: float) -> float:
        """When there first was one, in seconds on the monotonic clock; raises TooLate."""

    def is_clear(self) -> bool:
        """Whether the window has gone again."""


class X11Screen:
    """A Screen whose picture is in memory: a window is there once that has changed."""

    def __init__(self, folder: Path, picture: Path, *, has_panel: bool) -> None:
        self.door = folder / "door"
        self.has_panel = has_panel
        with picture.open("rb") as file:
            self._memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        header = _HEADER.unpack_from(self._memory)
        self._begin = header[0] + header[19] * _COLOUR_BYTES
        self._before = self.sample()

    def sample(self) -> tuple[bytes, ...]:
        """What can be seen in some of the screen's lines."""
        line = WIDTH * _PIXEL_BYTES
        lines = range(self._begin, self._begin + HEIGHT * line, _LINES_APART * line)
        return tuple(self._memory[begin : begin + line] for begin in lines)

    def begin(self) -> None:
        """Remember what can be seen now."""
        self._before = self.sample()

    def is_clear(self) -> bool:
        """Whether that can be seen again, but for a pointer or an icon."""
        differing: int = sum(map(operator.ne, self._before, self.sample()))
        return differing < _LINES_OF_A_WINDOW

    def await_window(self, seconds: float) -> float:
        """When something else was first to be seen, in seconds on the monotonic clock; raises TooLate."""
        deadline = time.monotonic() + seconds
        while self.is_clear():
            if time.monotonic() > deadline:
                raise TooLate(f"nothing was drawn within {seconds:.0f} s")
            time.sleep(_LOOK_SECONDS)
        return time.monotonic()

    def close(self) -> None:
        """Look no more."""
        self._memory.close()


class WaylandScreen:
    """A Screen whose compositor (sway) is asked for its windows: it lists a window from its first picture on."""

    has_panel = False

    def __init__(self, folder: Path, desktop: WaylandDesktop, next_window: Callable[[float], float]) -> None:
        self.door, self._desktop, self._next_window = folder / "door", desktop, next_window

    def begin(self) -> None:
        """No window is open."""
        assert self.is_clear()

    def await_window(self, seconds: float) -> float:
        """When the compositor first had one, in seconds on the monotonic clock; raises TooLate."""
        try:
            return self._next_window(seconds)
        except TimeoutError as error:
            raise TooLate(f"nothing was drawn within {seconds:.0f} s") from error

    def is_clear(self) -> bool:
        """Whether no window is open."""
        return not self._desktop.windows()


@contextmanager
def a_wayland_screen() -> Iterator[Screen]:
    """What is started meanwhile opens its windows there; there is neither an X server nor a session bus."""
    if missing := [program for program in PROGRAMS if shutil.which(program) is None]:
        raise NotMeasured(f"there is no {missing[0]}")
    _compile_modules()
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="screen-")))
        desktop = ends.enter_context(WaylandDesktop(folder / "desktop", fills_screen=False))
        next_window = ends.enter_context(desktop.new_windows())
        wanted = {name: desktop.environment[name] for name in ("WAYLAND_DISPLAY", "XDG_RUNTIME_DIR")}
        without = ("DISPLAY", "QT_QPA_PLATFORM", *_UNWANTED)
        ends.enter_context(_environment(_WITHOUT_BUSES | {"LC_ALL": "C.UTF-8"} | wanted, without))
        yield WaylandScreen(folder, desktop, next_window)


def _compile_modules() -> None:
    """As those of Qt are, and as they would be after the first start."""
    for package in ("app", "core"):
        compile_dir(ROOT / package, quiet=1)


@contextmanager
def an_x11_screen() -> Iterator[Screen]:
    """What is started meanwhile opens its windows there, and knows no desktop of the person's."""
    _compile_modules()
    if shutil.which("Xvfb") is None:
        raise NotMeasured("there is no Xvfb; Debian and Ubuntu have it in the package xvfb")
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="screen-")))
        log = ends.enter_context((folder / "log").open("wb"))
        server, display = _server(folder, log.fileno())
        ends.callback(_end, server)
        ends.enter_context(_surroundings(folder, display))
        panel = shutil.which("trayer")
        if panel is not None:
            program = [panel, *_PANEL, "--SetDockType", "true"]
            ends.callback(_end, subprocess.Popen(program, stdout=log, stderr=log))
            time.sleep(1.0)  # until it is drawn, if that is ever seen
        screen = X11Screen(folder, folder / "Xvfb_screen0", has_panel=panel is not None)
        ends.callback(screen.close)
        yield screen


def _server(folder: Path, log: int) -> tuple[subprocess.Popen[bytes], str]:
    """It chooses its number itself, and says it once it can be asked for windows."""
    reading, writing = os.pipe()
    try:
        command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{WIDTH}x{HEIGHT}x24"]
        command += ["-fbdir", str(folder), "-nolisten", "tcp", "-noreset"]
        server = subprocess.Popen(command, pass_fds=(writing,), stdout=log, stderr=log)
        number = b""
        while not number.endswith(b"\n"):  # whoever leaves before the line's end kills the server
            is_there, *_ = select.select([reading], [], [], START_SECONDS)
            if not is_there or server.poll() is not None:
                _end(server)
                raise NotMeasured("Xvfb does not start")
            number += os.read(reading, 16)
        return server, f":{number.decode().strip()}"
    finally:
        os.close(reading)
        os.close(writing)


@contextmanager
def _surroundings(folder: Path, display: str) -> Iterator[None]:
    """Of whatever is started meanwhile."""
    wanted = {
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
        "XDG_RUNTIME_DIR": str(folder),
        **_WITHOUT_BUSES,
        "LC_ALL": "C.UTF-8",
    }
    with _environment(wanted, without=_UNWANTED):
        yield


@contextmanager
def _environment(wanted: Mapping[str, str], without: tuple[str, ...]) -> Iterator[None]:
    before = dict(os.environ)
    for name in without:
        os.environ.pop(name, None)
    os.environ.update(wanted)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(_END_SECONDS)
