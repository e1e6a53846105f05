"""From the words on the command line to a command or the window, in fresh processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app import startup as start
from app.desktop.launch_request import LaunchRequest
from core.files.folders import Folders
from core.records.settings import Settings, save_settings
from tests.support.checkout import ROOT


def started(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`python -m app` where there is no display, unless the environment says otherwise."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    clean = {name: value for name, value in os.environ.items() if name not in displays}
    return subprocess.run(
        [sys.executable, "-m", "app", *words],
        cwd=ROOT,
        env=clean | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_without_words_and_without_a_display_there_is_the_commands_help() -> None:
    answer = started()
    assert answer.returncode == 0
    assert "usage: workerbee" in answer.stdout


def test_words_are_a_command() -> None:
    assert started("--version").stdout.strip()
    assert started("frobnicate").returncode == 2


def test_a_link_without_a_display_is_answered_in_words() -> None:
    answer = started("workerbee://join?peer=x")
    assert answer.returncode == 2
    assert "no display" in answer.stderr
    assert "workerbee join" in answer.stderr


def test_a_display_that_does_not_answer_is_named() -> None:
    answer = started(DISPLAY=":987")
    assert answer.returncode == 7
    assert "“:987”" in answer.stderr


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"WAYLAND_DISPLAY": "wayland-77", "XDG_RUNTIME_DIR": "/nonexistent"}, "“/nonexistent/wayland-77”"),
        ({"WAYLAND_DISPLAY": "wayland-77", "XDG_RUNTIME_DIR": ""}, "XDG_RUNTIME_DIR"),
        ({"QT_QPA_PLATFORM": "wayland;xcb", "WAYLAND_DISPLAY": "/nonexistent", "DISPLAY": ":987"}, "“/nonexistent”"),
    ],
)
def test_a_wayland_display_that_does_not_answer_is_named(environment: dict[str, str], words: str) -> None:
    answer = started(**environment)
    assert answer.returncode == 7
    assert words in answer.stderr


def test_where_neither_wayland_nor_x11_answers_both_are_named() -> None:
    answer = started(DISPLAY=":987", WAYLAND_DISPLAY="wayland-77", XDG_RUNTIME_DIR="/nonexistent")
    assert answer.returncode == 7
    assert "wayland-77" in answer.stderr and "“:987”" in answer.stderr


def in_fresh_process(code: str) -> subprocess.CompletedProcess[str]:
    """What such a Python program prints."""
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)


def test_qt_that_is_missing_is_said_with_the_command_that_mends_it() -> None:
    answer = in_fresh_process(
        "import sys; sys.modules['PySide6'] = None; sys.argv = ['workerbee', '--minimised']\n"
        "import os; os.environ['DISPLAY'] = ':0'\n"
        "from app.__main__ import main; sys.exit(main())"
    )
    assert answer.returncode == 7
    assert f'"{sys.executable}" -m pip install "PySide6-Essentials' in answer.stderr


def test_a_command_loads_no_qt() -> None:
    answer = in_fresh_process(
        "import sys; sys.argv = ['workerbee', '--version']\n"
        "from app.__main__ import main; main()\n"
        "heavy = ('PySide6', 'torch', 'numpy', 'hivemind')\n"
        "print([name for name in sys.modules if name.split('.')[0] in heavy])"
    )
    assert answer.stdout.endswith("[]\n"), answer.stdout + answer.stderr


def test_ctrl_c_while_a_command_is_loaded_is_no_accident() -> None:
    answer = in_fresh_process(
        "import sys; sys.argv = ['workerbee', 'runs']\n"
        "import app.__main__ as program\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *rest):\n"
        "        raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "sys.exit(program.main())"
    )
    assert (answer.returncode, answer.stderr) == (130, "")


WINDOW_WITHOUT_A_WINDOW = """
import linecache, os, sys
import app.__main__ as program

def remove_and_look():
    remove()
    sources_before = len(linecache.cache)
    import app.startup, app.application
    def look(request):
        print(len(linecache.cache) - sources_before)
        return 0
    app.startup.open_window = look

remove, program.remove_import_hook = program.remove_import_hook, remove_and_look
os.environ["QT_QPA_PLATFORM"], sys.argv = "offscreen", ["workerbee"]
sys.exit(program.main())
"""


def test_the_windows_modules_are_imported_without_reading_their_sources() -> None:
    answer = in_fresh_process(WINDOW_WITHOUT_A_WINDOW)
    assert (answer.stdout, answer.returncode) == ("0\n", 0), answer.stderr


def test_pyside_reads_them_unless_its_import_hook_is_removed() -> None:
    answer = in_fresh_process("import PySide6.QtCore, linecache, core.errors; print(bool(linecache.cache))")
    assert answer.stdout == "True\n"


def test_the_data_folder_of_the_settings_is_used_from_the_next_start_on(qapp: QApplication, tmp_path: Path) -> None:
    folders, chosen = Folders.below(tmp_path / "home"), tmp_path / "bees"
    save_settings(folders.settings_file, Settings(data_folder=str(chosen)))
    front = start.initial_window_for(qapp, folders)
    assert front.folders == replace(folders, data=chosen)
    front.settings_store.replace(data_folder=None)
    assert front.folders.data == chosen
    again = start.initial_window_for(qapp, folders)
    assert again.folders == folders
    for each in (front, again):
        each.window.deleteLater()


@pytest.mark.parametrize(
    ("setting", "request_", "mode"),
    [
        (False, LaunchRequest(), "window"),
        (True, LaunchRequest(), "tray"),
        (True, LaunchRequest(link="workerbee://join?peer=x"), "window"),
        (True, LaunchRequest(run_file="/home/me/run.toml"), "window"),
        (False, LaunchRequest(is_minimised=True), "tray_at_login"),
    ],
)
def test_the_settings_hide_the_window_of_a_start_that_shows_nothing_new(
    qapp: QApplication, tmp_path: Path, setting: bool, request_: LaunchRequest, mode: str
) -> None:
    folders = Folders.below(tmp_path / "home")
    save_settings(folders.settings_file, Settings(start_minimised=setting))
    initial_window = start.initial_window_for(qapp, folders)
    assert initial_window.start_mode(request_) == mode
    initial_window.open(request_)
    assert initial_window.window.isVisible() == (mode == "window")
    initial_window.window.close_for_good()
    initial_window.window.deleteLater()


@pytest.fixture
def runtime() -> Iterator[Path]:
    """A session's folder, whose path is short, as that of a socket must be."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def listens_to(number: signal.Signals, pid: int) -> bool:
    """Whether that process has a handler of that signal; see proc_pid_status(5)."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = int(next(line for line in status.splitlines() if line.startswith("SigCgt:")).split()[1], 16)
    return bool(caught >> (number - 1) & 1)


def test_the_second_start_hands_over_to_the_first_which_ends_when_it_is_told_to(runtime: Path) -> None:
    command = [sys.executable, "-m", "app"]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(runtime)}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as first:
        deadline = time.monotonic() + 20
        while not list(runtime.glob("*.sock")) and time.monotonic() < deadline:
            time.sleep(0.05)
        second = subprocess.run(
            [*command, "workerbee://join?peer=x"], cwd=ROOT, env=environment, timeout=30, check=False
        )
        assert second.returncode == 0
        assert first.poll() is None
        while not listens_to(signal.SIGTERM, first.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        first.terminate()
        assert first.communicate(timeout=20)[0] == ""
    assert first.returncode == 0
