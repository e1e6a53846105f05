"""Links and run files that are opened on a real desktop start the window, or reach the one that is there."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from core.protocol.codec import decode_command
from core.protocol.commands import Join
from core.run.run_file import parse_run_file, template
from tests.support.checkout import ROOT
from tests.support.cli_process import LINK
from tests.support.environment.x11_desktop import PROGRAMS, Desktop, Launched, wait_for

OPENERS = ("gio", "xdg-open", "update-mime-database", "update-desktop-database")
MISSING = [program for program in (*PROGRAMS, *OPENERS) if shutil.which(program) is None]
FILES = ROOT / "installer" / "package" / "files"
RUN_ID = "double-clicked"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(480, method="signal"),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]


@dataclass(frozen=True)
class Home:
    """Of a person for whom the menu's entry and the kind of files are installed."""

    desktop: Desktop

    @property
    def data(self) -> Path:
        """Where the desktop looks for what is theirs."""
        return self.desktop.folder / "data"

    @property
    def run_file(self) -> Path:
        """With a name as people give them."""
        return self.desktop.folder / "my süms.run.toml"

    @property
    def journal(self) -> Path:
        """What the window told its workers."""
        return self.desktop.folder / "journal"

    @property
    def entry(self) -> Path:
        """The menu's."""
        return self.data / "applications" / "workerbee.desktop"

    def install(self) -> None:
        """As the package and Debian's triggers do; the program is this checkout's, with a fake worker."""
        program = self.desktop.folder / "workerbee"
        words = [sys.executable, "-m", "tests.app.support.double_clicked_program", str(self.journal)]
        program.write_text(f'#!/bin/sh\ncd {shlex.quote(str(ROOT))}\nexec {shlex.join(words)} "$@"\n')
        program.chmod(0o755)
        kinds = self.data / "mime" / "packages" / "workerbee.xml"
        for path in (self.entry, kinds):
            path.parent.mkdir(parents=True)
        entry = (FILES / "workerbee.desktop").read_text()
        self.entry.write_text(entry.replace("Exec=workerbee", f"Exec={program}"))
        shutil.copyfile(FILES / "workerbee-mime.xml", kinds)
        for command in (["update-mime-database", "mime"], ["update-desktop-database", "applications"]):
            subprocess.run(command, cwd=self.data, check=True)
        manifest = template().replace("arithmetic-demo", RUN_ID)
        assert parse_run_file(manifest).run.id == RUN_ID
        self.run_file.write_text(manifest)

    def open(self, opener: str, what: str) -> Launched:
        """Double-click a run file or a link, on a desktop that leaves it to that program."""
        thing = str(self.run_file) if what == "file" else LINK
        command = ["gio", "launch", str(self.entry)] if opener == "gio launch" else opener.split()
        environment = {"XDG_DATA_HOME": str(self.data), "XDG_CURRENT_DESKTOP": "GNOME"}
        return self.desktop.launch([*command, thing], "opener", **environment)

    def joins(self) -> list[Join]:
        """What was asked for in the window so far."""
        if not self.journal.exists():
            return []
        lines = [line for line in self.journal.read_bytes().splitlines() if line.startswith(b"{")]
        return [join for join in map(decode_command, lines) if isinstance(join, Join)]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """With a window manager, and nothing of ours running."""
    with Desktop(tmp_path / "desktop", has_panel=False) as desktop:
        home = Home(desktop)
        home.install()
        yield home


def window_of(opened: Launched) -> psutil.Process | None:
    """The program that was started to open it, once it is Python."""
    for process in opened.offspring:
        try:
            if "tests.app.support.double_clicked_program" in process.cmdline():
                return process
        except psutil.Error:
            continue
    return None


@pytest.mark.parametrize(
    ("opener", "first", "second"),
    [("gio open", "link", "file"), ("xdg-open", "file", "link"), ("gio launch", "link", "file")],
)
def test_what_is_opened_starts_the_window_and_then_reaches_it(home: Home, opener: str, first: str, second: str) -> None:
    cold = home.open(opener, first)
    app = wait_for(lambda: window_of(cold), "a window's program")
    window = home.desktop.window(app)
    warm = home.open(opener, second)
    assert warm.ended() == 0, warm.words
    wait_for(warm.is_alone, "a second start that has delivered")
    home.desktop.until(lambda: home.desktop.type(window, "Return"), home.joins, "somebody who joins")
    (join, *_) = home.joins()
    assert join.addresses[0] in LINK.replace("%2F", "/")
    assert join.manifest is not None and join.manifest.run.id == RUN_ID
    home.desktop.type(window, "ctrl+q")
    app.wait(60)
    assert "Traceback" not in cold.words + warm.words
