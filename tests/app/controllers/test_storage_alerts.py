"""What cannot be kept is told once, and taken back when it can be kept again."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.controllers.run_recorder import RunRecorder
from app.controllers.storage_alerts import StorageAlerts
from app.widgets.notice_bar import NoticeBar
from core.errors import ErrorKind, UserError
from core.files.folders import Folders

FULL = UserError(ErrorKind.DISK_FULL, "history.sqlite: database or disk is full.")
HELD = UserError(ErrorKind.HISTORY_NOT_KEPT, "history.sqlite is held by another program.")


@dataclass
class FakeRecorder:
    """Stands for the recorder."""

    error: UserError | None = None
    quarantined_paths: tuple[Path, ...] = ()


def alerts_for(recorder: FakeRecorder) -> tuple[StorageAlerts, list[str]]:
    said: list[str] = []

    def tell(error: UserError) -> None:
        said.append(error.problem.key)

    def take_back(error: UserError) -> None:
        said.append(f"no {error.problem.key}")

    return StorageAlerts(recorder, tell, take_back), said


def test_a_disk_that_fills_up_later_is_told_once_and_untold_when_it_is_over() -> None:
    recorder = FakeRecorder()
    alerts, said = alerts_for(recorder)
    alerts.poll()
    assert said == []
    recorder.error = FULL
    alerts.poll()
    alerts.poll()
    assert said == ["disk_full"]
    recorder.error = HELD
    alerts.poll()
    assert said == ["disk_full", "no disk_full", "history_not_kept"]
    recorder.error = None
    alerts.poll()
    alerts.poll()
    assert said[3:] == ["no history_not_kept"]


def test_each_damaged_file_is_told_once_also_one_that_is_damaged_later() -> None:
    recorder = FakeRecorder(quarantined_paths=(Path("history.sqlite.broken-1"),))
    alerts, said = alerts_for(recorder)
    alerts.poll()
    alerts.poll()
    assert said == ["history_damaged"]
    recorder.quarantined_paths = (Path("history.sqlite.broken-2"),)
    alerts.poll()
    assert said == ["history_damaged", "history_damaged"]


def test_a_file_that_is_held_by_another_program_and_one_that_is_nonsense_are_seen() -> None:
    folders = Folders.default()
    folders.prepare()
    folders.contents.recent_runs_file.write_text("[nonsense")
    with sqlite3.connect(folders.contents.history_file) as other:
        other.execute("BEGIN EXCLUSIVE")
        recorder = RunRecorder(folders)
        assert recorder.error is not None
        assert recorder.error.problem is ErrorKind.HISTORY_NOT_KEPT
        assert "another program" in str(recorder.error.detail)
        assert [path.name for path in recorder.quarantined_paths] == ["recent_runs.json.broken-1"]
        other.rollback()
        recorder.close()
    other.close()


def test_a_notice_is_taken_back_unless_it_says_something_else_by_now(qtbot: QtBot) -> None:
    bar = NoticeBar()
    qtbot.addWidget(bar)
    bar.show_notice("bad", "The disk is full.", "history.sqlite")
    bar.withdraw("Something else.")
    assert not bar.isHidden()
    bar.withdraw("The disk is full.")
    assert bar.isHidden()
