"""The idle time of a real X server, with real input, and without a server."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.observers.display_servers.x11_idle import X11Idle
from tests.support.checkout import ROOT
from tests.support.environment.x11_desktop import Desktop, wait_for

MISSING = [program for program in ("Xvfb", "openbox", "xdotool") if shutil.which(program) is None]
SERVER_DIES = """
import sys
from core.observers.display_servers.x11_idle import X11Idle
idle = X11Idle(sys.argv[1])
for _ in sys.stdin:
    idle.refresh()
    print(idle.idle_seconds, flush=True)
"""

pytestmark = [pytest.mark.timeout(180), pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}")]


@pytest.fixture
def desktop(tmp_path: Path) -> Iterator[Desktop]:
    with Desktop(tmp_path / "desktop", has_panel=False) as desktop:
        yield desktop


def seconds(idle: X11Idle) -> float:
    idle.refresh()
    assert idle.idle_seconds is not None
    return idle.idle_seconds


def test_a_key_ends_the_idle_time_which_begins_anew(desktop: Desktop) -> None:
    idle = X11Idle(desktop.environment["DISPLAY"])
    wait_for(lambda: seconds(idle) >= 2.0, "two idle seconds")
    before = time.monotonic()
    desktop.press("shift")
    assert seconds(idle) <= time.monotonic() - before + 0.1
    wait_for(lambda: seconds(idle) >= 1.0, "an idle second")
    idle.close()
    assert idle.idle_seconds is None


def test_a_server_that_dies_is_survived(desktop: Desktop) -> None:
    command = [sys.executable, "-c", SERVER_DIES, desktop.environment["DISPLAY"]]
    with subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:

        def ask() -> str:
            print(file=child.stdin, flush=True)
            return child.stdout.readline().strip() if child.stdout else ""

        assert float(ask()) >= 0.0
        desktop.crash()
        wait_for(lambda: ask() == "None", "no answer any more")
        child.communicate()
        assert child.returncode == 0


@pytest.mark.parametrize("display", ["", ":7654"])
def test_without_a_server_there_is_nothing(display: str) -> None:
    idle = X11Idle(display)
    idle.refresh()
    assert idle.idle_seconds is None
    idle.close()
