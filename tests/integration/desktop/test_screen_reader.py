"""A run is joined, paused and left by a screen reader alone, over the real accessibility bus, on X11 and on Wayland."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.environment import wayland_desktop, x11_desktop
from tests.support.environment.screen_reader import ScreenReader, Widget
from tests.support.environment.x11_desktop import ProgramsOfADesktop, wait_for
from tests.support.peers import slow_computer
from tests.support.real_peers import LIMIT_SECONDS, Peer, peer_group, tiny

DESKTOPS: dict[str, tuple[tuple[str, ...], Callable[[Path], ProgramsOfADesktop]]] = {
    "x11": (("Xvfb", "openbox"), lambda folder: x11_desktop.Desktop(folder, has_panel=False)),
    "wayland": (wayland_desktop.PROGRAMS, wayland_desktop.WaylandDesktop),
}
SELDOM = {"wayland": pytest.mark.faults}
BUS_LAUNCHER = Path("/usr/libexec/at-spi-bus-launcher")
PROGRAM = "workerbee"
RUN = tiny().run.name
USED = ("push button", "text", "combo box", "check box", "spin box", "toggle button", "radio button", "slider")

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not BUS_LAUNCHER.exists(), reason="needs at-spi2-core"),
]


@pytest.fixture(params=[pytest.param(name, marks=SELDOM.get(name, ())) for name in DESKTOPS])
def desktop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProgramsOfADesktop]:
    """A desktop without a tray."""
    programs, begin = DESKTOPS[request.param]
    if missing := [program for program in programs if shutil.which(program) is None]:
        pytest.skip(f"needs {', '.join(missing)}")
    with begin(tmp_path / "desktop") as begun:
        yield begun


@pytest.fixture
def organiser(tmp_path: Path) -> Iterator[Peer]:
    """A run to join."""
    with peer_group(tmp_path) as everybody:
        yield everybody.organiser()


def walk(reader: ScreenReader, page: str) -> list[Widget]:
    """All that can be seen; what can be used has a name."""
    seen = reader.widgets(PROGRAM)
    if nameless(seen):  # one that goes while it is asked for its name has none
        seen = reader.widgets(PROGRAM)
    assert nameless(seen) == [], page
    return seen


def nameless(seen: Sequence[Widget]) -> list[Widget]:
    """Those that can be used and have no name."""
    return [each for each in seen if each.role in USED and each.is_used and not each.name]


def says(reader: ScreenReader, words: str) -> None:
    """Wait until that is announced."""
    wait_for(lambda: any(words in each for each in reader.announced()), f"“{words}” announced", LIMIT_SECONDS)


def test_a_run_is_joined_paused_resumed_and_left_with_nothing_but_a_screen_reader(
    desktop: ProgramsOfADesktop, organiser: Peer, tmp_path: Path
) -> None:
    with ScreenReader() as reader:
        home = {"WORKERBEE_HOME": str(tmp_path / "home")}
        app = desktop.launch(slow_computer.WINDOW, "app", **home, **reader.environment)
        field = reader.widget(PROGRAM, "text", "Address of the run")
        walk(reader, "join")
        reader.press(reader.widget(PROGRAM, "push button", "Help"))
        settings = reader.widget(PROGRAM, "push button", "Settings")
        walk(reader, "help")
        reader.press(settings)
        reader.widget(PROGRAM, "spin box", "CPU threads")
        walk(reader, "settings")
        reader.press(reader.widget(PROGRAM, "push button", "Back"))
        reader.widget(PROGRAM, "text", "Address of the run")
        reader.write(field, organiser.posted)
        reader.press(reader.widget(PROGRAM, "push button", "Show me the run"))
        says(reader, "Ready to start")
        walk(reader, "review")
        reader.press(reader.widget(PROGRAM, "push button", "Start"))
        says(reader, f"Training · {RUN}")
        training = walk(reader, "training")
        assert {"Throughput", "Loss"} <= {each.name for each in training if each.role == "label"}, training
        bars = [each for each in training if each.role == "progress bar"]
        assert bars and all(each.name and each.value is not None for each in bars), bars
        reader.press(reader.widget(PROGRAM, "push button", "Pause"))
        says(reader, f"Paused · {RUN}")
        walk(reader, "paused")
        told = len(reader.announced())
        reader.press(reader.widget(PROGRAM, "push button", "Resume"))
        wait_for(
            lambda: any("Training" in each for each in reader.announced()[told:]), "it trains again", LIMIT_SECONDS
        )
        assert len(reader.announced()) < 20, "it is not chatty"
        assert app.process.poll() is None


@pytest.mark.skipif(shutil.which("Xvfb") is None or shutil.which("openbox") is None, reason="needs Xvfb and openbox")
def test_an_hour_of_the_week_that_is_switched_by_keys_is_announced(tmp_path: Path) -> None:
    """On a screen so high that all of the settings are seen, since a screen reader is told of no more than that."""
    with x11_desktop.Desktop(tmp_path / "desktop", "1180x2600", has_panel=False) as desktop, ScreenReader() as reader:
        home = {"WORKERBEE_HOME": str(tmp_path / "home")}
        app = desktop.launch([sys.executable, "-m", "app"], "app", **home, **reader.environment)
        reader.widget(PROGRAM, "text", "Address of the run")
        window = desktop.window(app)
        desktop.type(window, "F11")
        desktop.type(window, "ctrl+comma")
        reader.focus(reader.widget(PROGRAM, "table", "Hours of the week"))
        desktop.type(window, "Down", "space")
        says(reader, ": not free for training")
        assert [words for words in reader.announced() if words.startswith("Tuesday, ")] == reader.announced()
        desktop.type(window, "shift+space")
        says(reader, ": free for training")
