"""A real desktop for tests: an X server without a screen, a window manager, a panel with a tray, a clipboard.

There is no session bus, so the tray is the older kind (XEmbed), whose icons are windows that a mouse can
click. Everything waits for what can be seen, and nothing is left of it at the end.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self, TypeVar

import psutil
from PySide6.QtGui import QImage

from tests.support.checkout import ROOT
from tests.support.forked.server import MARK
from tests.support.real_peers import marked

LIMIT_SECONDS = 120.0  # for anything on a screen, on a computer that does much else: a program's start takes 60 s there
GONE_SECONDS = 15.0
LARGEST_ICON = 64
PROGRAMS = ("Xvfb", "openbox", "trayer", "xdotool", "xclip")
_LOOK_SECONDS = 0.1
_PATIENCE_SECONDS = 6.0  # before a key is pressed again that a busy program has not had ears for
_PERSONAL = ("DBUS_", "XDG_", "QT_", "GTK_", "LC_", "WAYLAND_", "DESKTOP_", "WORKERBEE_HOME", "LANG")
_PANEL = (
    "--edge",
    "bottom",
    "--align",
    "right",
    "--widthtype",
    "percent",
    "--width",
    "100",
    "--height",
    "32",
)
_numbers = itertools.count(1)

_Seen = TypeVar("_Seen")


def wait_for(look: Callable[[], _Seen | None], what: str, seconds: float = LIMIT_SECONDS) -> _Seen:
    """The first thing that a look finds; ``what`` it was to be is said if there never is any."""
    deadline = time.monotonic() + seconds
    while not (seen := look()):
        assert time.monotonic() < deadline, f"after {seconds:.0f} s there is still not {what}"
        time.sleep(_LOOK_SECONDS)
    return seen


class Launched:
    """A program on the desktop, and all that comes of it. Its log is what it says on both streams."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.mark = f"{os.getpid()}-desktop-{next(_numbers)}"
        self.log = log
        with log.open("ab") as words:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**environment, MARK: self.mark},
                stdin=subprocess.PIPE,
                stdout=words,
                stderr=words,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """Its process."""
        return self.process.pid

    @property
    def offspring(self) -> list[psutil.Process]:
        """Every living process that was started by it, or by one of those, wherever it has gone."""
        return [process for process in marked(self.mark) if process.pid != self.pid]

    @property
    def words(self) -> str:
        """What it has said."""
        return self.log.read_text(errors="replace")

    def tell(self, line: str) -> None:
        """Write a line to its standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def ended(self, seconds: float = LIMIT_SECONDS) -> int:
        """Its exit code, once it has ended by itself."""
        return self.process.wait(seconds)

    def is_alone(self) -> bool:
        """Whether nobody lives because of it."""
        return not self.offspring

    def end(self) -> None:
        """Whatever it does: nothing is left of it."""
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired, OSError):
            self.process.communicate(timeout=GONE_SECONDS)
        for process in marked(self.mark):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait(GONE_SECONDS)
        wait_for(self.is_alone, "the end of everything", GONE_SECONDS)


class Shown(Protocol):
    """Whatever has windows."""

    @property
    def pid(self) -> int:
        """Its process."""


@dataclass(frozen=True)
class Seen:
    """A window that can be seen. Only of one without a frame, such as a menu, are ``x`` and ``y`` exact."""

    number: str
    title: str
    x: int
    y: int
    width: int
    height: int

    @property
    def is_icon(self) -> bool:
        """Whether a panel holds it."""
        return max(self.width, self.height) < LARGEST_ICON


class ProgramsOfADesktop:
    """What is started on a desktop, and ends with it; a subclass begins the desktop itself."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ends = contextlib.ExitStack()
        self._environment: dict[str, str] = {}

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as ends:
            self._ends = ends
            self._begin()
            self._ends = ends.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def launch(self, command: Sequence[str], name: str, **environment: str) -> Launched:
        """Start a program; it is ended with the desktop, if it has not ended before."""
        log = self.folder / f"{name}-{next(_numbers)}.log"
        program = Launched(command, {**self._environment, **environment}, log)
        self._ends.callback(program.end)
        return program

    def _begin(self) -> None:
        """Start the desktop, and make the environment of its programs."""
        raise NotImplementedError


class Desktop(ProgramsOfADesktop):
    """``with Desktop(folder) as desktop:``; the folder is for logs, and is the home of who has none."""

    def __init__(self, folder: Path, size: str = "1180x820", *, has_panel: bool = True) -> None:
        super().__init__(folder)
        self._size, self._has_panel = size, has_panel

    @property
    def environment(self) -> Mapping[str, str]:
        """What a program needs to find this desktop, beside what every program has."""
        return self._environment

    def crash(self) -> None:
        """The X server dies, and with it every connection to it."""
        self._server.process.kill()

    def begin_panel(self) -> None:
        """With a tray for icons."""
        self.launch(["trayer", *_PANEL, "--SetDockType", "true"], "trayer")
        wait_for(lambda: self._ask("search", "--name", "^panel$"), "a panel")

    def copy(self, text: str) -> None:
        """Put a text onto the clipboard."""
        owner = self.launch(["xclip", "-selection", "clipboard", "-quiet", self._file(text)], "xclip")
        wait_for(lambda: self._clipboard() == text, "that text on the clipboard")
        assert owner.process.poll() is None

    def windows(self, program: Shown) -> list[Seen]:
        """What can be seen of it: windows, menus, the icon in the tray."""
        query = ("search", "--onlyvisible", "--all", "--pid", str(program.pid), "--name", "")
        seen = (self._seen(number) for number in self._ask(*query).split())
        return [window for window in seen if window is not None]

    def window(self, program: Shown, words: str = "", seconds: float = LIMIT_SECONDS) -> Seen:
        """Its first window with those words in the title, which is not an icon; waits for it."""

        def look() -> Seen | None:
            mine = (seen for seen in self.windows(program) if words in seen.title and not seen.is_icon)
            return next(mine, None)

        try:
            return wait_for(look, f"a window called “{words}”", seconds)
        except AssertionError as error:
            state = psutil.Process(program.pid).status() if psutil.pid_exists(program.pid) else "gone"
            raise AssertionError(f"{error}; its process is {state}, and shows {self.windows(program)}") from error

    def type(self, window: Seen, *keys: str) -> None:
        """Press keys in a window, in front of all others."""
        self._ask("windowactivate", "--sync", window.number)
        self._ask("key", "--clearmodifiers", *keys)

    def close(self, window: Seen) -> None:
        """Its cross, by the window manager's keys."""
        self.type(window, "alt+F4")

    def tray_icon(self, program: Launched) -> Seen:
        """Its icon in the panel; waits for it."""
        return wait_for(lambda: next(filter(_is_icon, self.windows(program)), None), "an icon in the tray")

    def click(self, window: Seen, button: int = 1) -> None:
        """Point at its middle, and click."""
        at = (str(window.width // 2), str(window.height // 2))
        self._ask("mousemove", "--window", window.number, *at, "click", str(button))

    def open_tray_menu(self, program: Launched) -> Seen:
        """Click the icon with the right button, and wait for the menu."""
        icon = self.tray_icon(program)
        return self._opened(program, lambda: self.click(icon, 3), "the tray's menu")

    def open_submenu(self, program: Launched, letter: str) -> Seen:
        """Press the letter that is underlined in the menu; its first entry is the chosen one then."""
        return self._opened(program, lambda: self.press(letter), "a menu beside the menu")

    def choose(self, program: Launched, menu: Seen, *keys: str) -> None:
        """Choose in an open menu, which closes then."""

        def look() -> bool:
            return menu.number not in self._numbers_of(program)

        self.until(lambda: self.press(*keys), look, "a choice in the menu")

    def press(self, *keys: str) -> None:
        """Press keys for whoever has the keyboard, such as a menu."""
        self._ask("key", "--clearmodifiers", *keys)

    def until(self, deed: Callable[[], None], look: Callable[[], _Seen | None], what: str) -> _Seen:
        """As a person would: do it again where nothing has come of it."""
        for _ in range(int(LIMIT_SECONDS / _PATIENCE_SECONDS)):
            deed()
            with contextlib.suppress(AssertionError):
                return wait_for(look, what, _PATIENCE_SECONDS)
        raise AssertionError(f"there is still not {what}")

    def picture(self, path: Path, window: Seen | None = None) -> QImage:
        """The screen, or one window, as it is now; kept there."""
        path.parent.mkdir(parents=True, exist_ok=True)
        words = [
            sys.executable,
            "-m",
            "tests.support.screenshot",
            str(path),
            *([window.number] if window else []),
        ]
        answer = self._run(*words)
        picture = QImage(str(path))
        assert answer.returncode == 0 and not picture.isNull(), answer.stderr
        return picture

    def _begin(self) -> None:
        runtime = tempfile.mkdtemp(prefix="desktop-")  # the path of a socket must be short
        self._ends.callback(shutil.rmtree, runtime, ignore_errors=True)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(_PERSONAL)}
        self._environment = inherited | {
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": runtime,
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "QT_QPA_PLATFORM": "xcb",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
        }
        self._environment |= {"DISPLAY": self._begin_display(Path(runtime) / "display")}
        self.launch(["openbox"], "openbox")
        wait_for(lambda: self._ask("get_desktop"), "a window manager")
        if self._has_panel:
            self.begin_panel()

    def _begin_display(self, number: Path) -> str:
        """An X server chooses a free number itself, and writes it down once it can be asked for windows."""
        command = 'exec Xvfb -displayfd 3 -screen 0 "$0"x24 -wr -noreset -nolisten tcp 3>"$1"'
        self._server = server = self.launch(["sh", "-c", command, self._size, str(number)], "xvfb")

        def look() -> str:
            assert server.process.poll() is None, server.words
            written = number.read_text() if number.exists() else ""
            return written.strip() if written.endswith("\n") else ""

        return f":{wait_for(look, 'an X server')}"

    def _opened(self, program: Launched, deed: Callable[[], None], what: str) -> Seen:
        """The window that opens because of it."""
        before = self._numbers_of(program)

        def look() -> Seen | None:
            return next((seen for seen in self.windows(program) if seen.number not in before), None)

        return self.until(deed, look, what)

    def _numbers_of(self, program: Launched) -> set[str]:
        return {window.number for window in self.windows(program)}

    def _seen(self, number: str) -> Seen | None:
        """The window of that number, unless it has just gone."""
        title = self._ask("getwindowname", number)
        lines = self._ask("getwindowgeometry", "--shell", number).splitlines()
        facts = dict(line.split("=", 1) for line in lines)
        if "HEIGHT" not in facts:
            return None
        x, y, width, height = (int(facts[name]) for name in ("X", "Y", "WIDTH", "HEIGHT"))
        return Seen(number, title.strip(), x, y, width, height)

    def _ask(self, *words: str) -> str:
        """What xdotool answers; nothing where there is no such window."""
        return self._run("xdotool", *words).stdout

    def _clipboard(self) -> str:
        return self._run("xclip", "-selection", "clipboard", "-o").stdout

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LIMIT_SECONDS,
        )

    def _file(self, text: str) -> str:
        path = self.folder / f"text-{next(_numbers)}"
        path.write_text(text)
        return str(path)


def _is_icon(window: Seen) -> bool:
    return window.is_icon
