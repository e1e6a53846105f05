"""An upgrade of the package while the window is open: noticed once it is whole, when it disturbs nobody.

Its removal is noticed, too, whoever that disturbs.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.desktop.upgrade_watcher import UpgradeWatcher
from core.files.package_mark import CONFIGURED, PackageMark


def test_a_restart_is_due_once_another_version_is_whole_and_nobody_is_disturbed(qtbot: QtBot, tmp_path: Path) -> None:
    mark, is_busy, due = tmp_path / CONFIGURED, [True], list[bool]()
    mark.write_text("first")
    (tmp_path / "core").mkdir()
    watcher = UpgradeWatcher(PackageMark(tmp_path), lambda: not is_busy[0])
    watcher.restart_due.connect(lambda: due.append(True))
    watcher.poll()
    mark.unlink()  # prerm
    is_busy[0] = False
    watcher.poll()
    assert due == []
    mark.write_text("second")  # postinst
    is_busy[0] = True
    watcher.poll()
    assert due == []
    is_busy[0] = False
    watcher.poll()
    assert due == [True]


def test_a_program_that_is_removed_ends_whoever_is_disturbed(qtbot: QtBot, tmp_path: Path) -> None:
    mark, core, told = tmp_path / CONFIGURED, tmp_path / "core", list[str]()
    core.mkdir()
    mark.write_text("first")
    watcher = UpgradeWatcher(PackageMark(tmp_path), lambda: False)
    watcher.program_removed.connect(lambda: told.append("removed"))
    watcher.restart_due.connect(lambda: told.append("replaced"))
    mark.unlink()
    watcher.poll()
    core.rmdir()
    watcher.poll()
    core.mkdir()
    watcher.poll()
    core.rmdir()
    watcher.poll()
    assert told == []
    watcher.poll()
    assert told == ["removed"]


def test_what_no_package_manager_has_installed_is_never_replaced(tmp_path: Path) -> None:
    mark = PackageMark(tmp_path)
    (tmp_path / CONFIGURED).write_text("first")
    assert not mark.is_replaced()


def test_the_program_begins_anew_without_the_link_that_it_was_given(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, os\n"
        "print(os.getpid(), sys.argv[1:], flush=True)\n"
        "from app.desktop.upgrade_watcher import begin_anew\n"
        "begin_anew(is_seen=False) if sys.argv[1:] != ['--minimised'] else None\n"
    )
    command = [sys.executable, "-P", str(program), "workerbee://join?peer=x"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()
    (first, *given), (again, *kept) = (line.split(maxsplit=1) for line in said)
    assert first == again and given == ["['workerbee://join?peer=x']"] and kept == ["['--minimised']"]
