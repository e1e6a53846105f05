"""The window and a run that its organiser changes: the review shows what has changed, and waits; a fake engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from core.client.session import Session
from core.protocol.codec import decode_command
from core.protocol.commands import Start
from core.run.consent import consent_digest
from tests.app.test_application import ADDRESS, Open, name_of_page, opened, train, until
from tests.support.peers import fake_worker

__all__ = ["opened"]  # the fixture

AGREED, CHANGED = consent_digest(fake_worker.manifest()), consent_digest(fake_worker.widened())


def starts(folder: Path) -> list[str]:
    """The digests that workers were told to train."""
    lines = (folder / "journal").read_bytes().splitlines()
    commands = [decode_command(line) for line in lines if line != fake_worker.BIRTH.encode()]
    return [command.digest for command in commands if isinstance(command, Start)]


def asks(session: Session) -> bool:
    """The changed run is found, and waits for a person."""
    return session.is_changed and session.phase == "found" and session.is_search_finished


def pause_from_tray(qtbot: QtBot, application: Application) -> None:
    """Pause, and wait until the worker is gone."""
    application.tray_controller.tray.pause_requested.emit(None)
    until(qtbot, application, lambda session: session.phase == "paused")


def sleep(qtbot: QtBot, application: Application) -> None:
    """The computer is suspended and wakes up again: the session resumes by itself."""
    application.session_controller.prepare_suspend()
    until(qtbot, application, lambda session: session.phase == "paused")
    application.session_controller.resume_after_suspend()


def pause_and_resume(qtbot: QtBot, application: Application) -> None:
    """A person pauses and resumes from the tray."""
    pause_from_tray(qtbot, application)
    application.tray_controller.tray.resume_requested.emit()


@pytest.mark.parametrize("interruption", [pause_and_resume, sleep])
def test_a_changed_run_is_reviewed_anew_before_it_is_trained(
    qtbot: QtBot, opened: Open, tmp_path: Path, interruption: Callable[[QtBot, Application], None]
) -> None:
    application = opened("good", "be_widened")
    train(qtbot, application)
    interruption(qtbot, application)
    until(qtbot, application, asks)
    assert name_of_page(application) == "review"
    application.renderer.render()
    page = application.pages.review.page
    assert "changed this run since you agreed" in page.offer.changes.text
    assert "recipe.width: 128 → 256" in page.offer.changes.text
    assert application.window.windowTitle() == "The run has changed · Sums — Workerbee"
    application.session_controller.pause_or_resume()  # the tray's and the window's keys mean nothing now
    assert asks(application.session_controller.session) and starts(tmp_path) == [AGREED]
    page.bar.start.click()
    until(qtbot, application, lambda session: session.contributed_samples > fake_worker.SAMPLES_A_LIFE)
    assert name_of_page(application) == "training"
    assert starts(tmp_path) == [AGREED, CHANGED]


def test_other_words_about_the_run_ask_nobody(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    application = opened("good", "be_described_anew")
    train(qtbot, application)
    pause_and_resume(qtbot, application)
    until(qtbot, application, lambda session: session.contributed_samples > fake_worker.SAMPLES_A_LIFE)
    assert starts(tmp_path) == [AGREED, AGREED]


def test_after_a_restart_of_the_program_the_review_tells_a_changed_run_from_an_unchanged_one(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    first = opened("good")
    train(qtbot, first)
    first.quit()
    first.close()
    for part, words in (("be_described_anew", "not changed since"), ("be_widened", "recipe.width: 128 → 256")):
        again = opened("good", part)  # the journal tells the fake worker that this is not the first life
        again.pages.join.page.join_requested.emit(ADDRESS)
        until(qtbot, again, lambda session: session.is_search_finished)
        again.renderer.render()
        assert name_of_page(again) == "review"
        assert words in again.pages.review.page.offer.changes.text
        again.close()
    assert starts(tmp_path) == [AGREED]


@pytest.mark.parametrize(("part", "expected"), [("be_described_anew", [AGREED] * 2), ("be_widened", [AGREED])])
def test_trying_again_after_a_failure_trains_only_what_was_agreed_to(
    qtbot: QtBot, opened: Open, tmp_path: Path, part: str, expected: list[str]
) -> None:
    application = opened("fail_in_training", part)
    train(qtbot, application)
    until(qtbot, application, lambda session: session.phase == "ended")
    application.session_controller.join_again()
    until(qtbot, application, lambda session: session.is_search_finished)
    is_unchanged = part == "be_described_anew"
    until(qtbot, application, lambda session: session.phase == ("training" if is_unchanged else "found"))
    assert starts(tmp_path) == expected
