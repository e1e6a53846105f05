"""A real X server, window manager and panel: the tray's icon is clicked, its menu obeyed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("Xvfb", "openbox", "trayer", "xdotool")
PANEL = ["trayer", "--edge", "bottom", "--align", "right", "--widthtype", "request", "--SetDockType", "true"]
LIMIT_SECONDS = 30.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(any(shutil.which(tool) is None for tool in TOOLS), reason=f"needs {', '.join(TOOLS)}"),
]


class Desktop:
    """Starts programs on a screen of its own and ends them."""

    def __init__(self, folder: Path, running: ExitStack) -> None:
        self._running = running
        self._folder = folder
        screen = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24", "-noreset", "-nolisten", "tcp"]
        number = line_of(self.start(*screen))
        kept = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
        self.environment = kept | {"DISPLAY": f":{number}"}
        self.start("openbox")

    def start(self, *command: str) -> subprocess.Popen[str]:
        """A program that ends with the desktop."""
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=getattr(self, "environment", None),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._running.callback(end, process)
        return process

    def workerbee(self, *words: str) -> subprocess.Popen[str]:
        """The window with a fake worker."""
        journal = str(self._folder / "journal")
        return self.start(sys.executable, "-m", "tests.app.desktop_program", journal, *words)

    def xdotool(self, *words: str) -> str:
        """What it answers; nothing if it finds nothing."""
        answer = subprocess.run(
            ["xdotool", *words], env=self.environment, capture_output=True, text=True, timeout=LIMIT_SECONDS
        )
        return answer.stdout

    def icon(self) -> tuple[int, int]:
        """The middle of the program's only small window, which is its icon in the panel."""
        deadline = time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < deadline:
            for window in self.xdotool("search", "--class", "workerbee").split():
                lines = self.xdotool("getwindowgeometry", "--shell", window).splitlines()
                box = {name: int(value) for name, _, value in (line.partition("=") for line in lines)}
                if 8 < box.get("WIDTH", 0) < 64 and box["Y"] > 800:
                    return box["X"] + box["WIDTH"] // 2, box["Y"] + box["HEIGHT"] // 2
        raise AssertionError("there is no icon in the panel")

    def choose(self, *keys: str) -> None:
        """Open the icon's menu, and go through it with the keyboard."""
        x, y = self.icon()
        self.xdotool("mousemove", str(x), str(y), "click", "3", "sleep", "0.7")
        for key in keys:
            self.xdotool("key", key, "sleep", "0.2")


def end(process: subprocess.Popen[str]) -> None:
    """Ask it to, and insist."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line that it prints."""
    stream: IO[str] | None = process.stdout
    assert stream is not None
    return stream.readline().strip()


def lines_until(process: subprocess.Popen[str], last: str) -> list[str]:
    """The lines that it prints up to that one; the test's own time limit ends a wait that is in vain."""
    lines = [line_of(process)]
    while lines[-1] and lines[-1] != last:
        lines.append(line_of(process))
    assert lines[-1] == last, lines
    return lines


@pytest.fixture
def desktop(tmp_path: Path) -> Iterator[Desktop]:
    """Without a panel."""
    with ExitStack() as running:
        yield Desktop(tmp_path, running)


@pytest.mark.timeout(90, method="signal")
def test_the_trays_menu_pauses_resumes_and_quits(desktop: Desktop) -> None:
    desktop.start(*PANEL)
    program = desktop.workerbee("--train")
    lines_until(program, "training")
    desktop.choose("Down", "Down", "Right", "Return")  # Open, Pause, its first length
    lines_until(program, "paused")
    desktop.choose("Down", "Down", "Return")  # Open, Resume
    lines_until(program, "training")
    desktop.choose("Down", "Down", "Down", "Down", "Return")  # Open, Pause, Finish, Quit
    assert lines_until(program, "closed")[-2:] == ["ended", "closed"]
    assert program.wait(LIMIT_SECONDS) == 0


@pytest.mark.timeout(90, method="signal")
def test_a_panel_that_comes_after_us_still_shows_the_icon(desktop: Desktop) -> None:
    program = desktop.workerbee()
    time.sleep(3.0)  # the panel of a slow login
    desktop.start(*PANEL)
    lines_until(program, "tray")
    desktop.icon()


@pytest.mark.timeout(90, method="signal")
def test_a_system_that_ends_the_program_gets_a_goodbye(desktop: Desktop) -> None:
    program = desktop.workerbee("--train")
    lines_until(program, "training")
    program.send_signal(signal.SIGTERM)
    assert lines_until(program, "closed")[-3:] == ["leaving", "ended", "closed"]
    assert program.wait(LIMIT_SECONDS) == 0
