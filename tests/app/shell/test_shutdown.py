"""Quitting: goodbye is said, shown while it lasts, and never waited for without end."""

from __future__ import annotations

import subprocess
import sys

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.shell.shutdown import GracefulShutdown
from tests.support.checkout import ROOT


class Run:
    """What is left, in the smallest form."""

    def __init__(self, *, is_over: bool = False) -> None:
        self.is_over = is_over
        self.told: list[str] = []

    def shutdown(self, limit_seconds: float = 60.0) -> GracefulShutdown:
        """From it."""
        return GracefulShutdown(
            lambda: self.told.append("leave"),
            lambda: self.is_over,
            lambda: self.told.append("kill"),
            limit_seconds=limit_seconds,
        )


def test_where_nothing_runs_the_end_comes_at_once(qtbot: QtBot) -> None:
    shutdown = Run(is_over=True).shutdown()
    with qtbot.waitSignal(shutdown.finished, timeout=500):
        shutdown.start()
    assert shutdown.window is None


def test_a_goodbye_is_shown_and_waited_for(qtbot: QtBot) -> None:
    run = Run()
    shutdown = run.shutdown()
    shutdown.start()
    qtbot.waitUntil(lambda: shutdown.window is not None and shutdown.window.isVisible())
    with qtbot.waitSignal(shutdown.finished):
        run.is_over = True
    assert run.told == ["leave"]


def test_whoever_insists_need_not_wait(qtbot: QtBot) -> None:
    run = Run()
    shutdown = run.shutdown()
    shutdown.start()
    qtbot.waitUntil(lambda: shutdown.window is not None)
    assert shutdown.window is not None
    with qtbot.waitSignal(shutdown.finished):
        QTest.mouseClick(shutdown.window.findChildren(QPushButton)[0], Qt.MouseButton.LeftButton)
    assert run.told == ["leave", "kill"]


def test_a_worker_that_never_goes_is_ended_after_the_limit(qtbot: QtBot) -> None:
    run = Run()
    shutdown = run.shutdown(limit_seconds=0.1)
    with qtbot.waitSignal(shutdown.finished):
        shutdown.start()
        shutdown.start()
    assert run.told == ["leave", "kill"]


def test_the_end_of_a_session_is_held_up_until_goodbye_is_said(qtbot: QtBot) -> None:
    run = Run()
    shutdown = run.shutdown()
    QTimer.singleShot(100, lambda: setattr(run, "is_over", True))
    shutdown.wait()
    assert run.told == ["leave"]


def test_what_shows_the_goodbye_is_loaded_before_the_program_can_be_removed() -> None:
    code = "import sys, app.shell.system_events; print('app.shell.shutdown_window' in sys.modules)"
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout
    assert said == "True\n"
