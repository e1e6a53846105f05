"""A real X server, window manager and panel: one that comes late, and a system that ends the program."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.files.folders import Folders
from core.records.settings import Settings, save_settings
from tests.support.environment.x11_desktop import PROGRAMS, Desktop, Launched, wait_for

MISSING = [program for program in PROGRAMS if shutil.which(program) is None]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(360, method="signal"),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]


@pytest.fixture
def desktop(tmp_path: Path) -> Iterator[Desktop]:
    """Without a panel."""
    with Desktop(tmp_path / "desktop", has_panel=False) as desktop:
        yield desktop


def test_a_panel_that_comes_after_us_still_shows_the_icon(desktop: Desktop) -> None:
    app = desktop.launch([sys.executable, "-m", "app"], "app", WORKERBEE_HOME=str(desktop.folder / "home"))
    desktop.window(app)
    desktop.begin_panel()
    desktop.tray_icon(app)


def hidden(desktop: Desktop) -> Launched:
    """A start by hand of a person whose settings say: open hidden in the tray."""
    home = desktop.folder / "home"
    settings_file = Folders.below(home).settings_file
    settings_file.parent.mkdir(parents=True)
    save_settings(settings_file, Settings(start_minimised=True))
    return desktop.launch([sys.executable, "-m", "app"], "app", WORKERBEE_HOME=str(home))


def test_a_start_by_hand_in_the_tray_opens_no_window_before_its_icon_is_clicked(desktop: Desktop) -> None:
    desktop.begin_panel()
    app = hidden(desktop)
    icon = desktop.tray_icon(app)
    assert [window for window in desktop.windows(app) if not window.is_icon] == []
    desktop.until(lambda: desktop.click(icon), lambda: desktop.window(app, seconds=1), "a window")


def test_a_start_by_hand_in_the_tray_opens_the_window_where_there_is_no_panel(desktop: Desktop) -> None:
    desktop.window(hidden(desktop))


def test_a_system_that_ends_the_program_gets_a_goodbye(desktop: Desktop) -> None:
    journal = str(desktop.folder / "journal")
    app = desktop.launch([sys.executable, "-m", "tests.app.support.training_program", journal], "app")
    wait_for(lambda: "training" in app.words.split(), "a window that trains")
    app.process.terminate()
    assert app.ended() == 0
    assert app.words.split()[-3:] == ["leaving", "ended", "closed"]
