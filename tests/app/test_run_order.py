"""The window and several runs in an order: what is helped and why, and the keyboard; a fake engine.

The engine's swarms are as the test says (`fake_worker.follow_world`).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.desktop.launch_request import LaunchRequest
from app.pages.order.card import OrderCard
from app.run_order import controller
from core.client.session import Session
from core.control.messages import ControlCommand
from core.run.address import JoinAddress
from core.run_order import engine
from core.run_order.engine import RunKey
from tests.app.test_application import LIMIT_MILLISECONDS, Open, name_of_page, opened, until
from tests.core.cli.test_run_order import FIRST, SECOND, be, started
from tests.support.peers.fake_worker import ORGANISER

__all__ = ["opened"]  # the fixture

ALPHA, BETA = (("alpha", ORGANISER), ("beta", ORGANISER))


def find(qtbot: QtBot, application: Application, link: str) -> None:
    """Look for the run at that address, up to the review."""
    application.pages.join.page.join_requested.emit(JoinAddress.parse(link))
    until(qtbot, application, lambda session: session.is_search_finished)
    application.renderer.render()
    assert name_of_page(application) == "review"


def defer(qtbot: QtBot, application: Application, link: str) -> None:
    """Agree to the run there, and help it after the others."""
    find(qtbot, application, link)
    application.pages.review.page.bar.later.click()
    until(qtbot, application, lambda session: session.phase == "ended")


def helps(run_id: str, session: Session) -> bool:
    """Whether samples are computed for that run."""
    is_that = session.consent is not None and session.consent.run_id == run_id
    return is_that and session.phase == "training" and session.progress is not None


def both(qtbot: QtBot, opened: Open, folder: Path) -> Application:
    """A window that helps Alpha, and Beta after that."""
    be(folder)
    application = opened("follow_world")
    defer(qtbot, application, SECOND)
    find(qtbot, application, FIRST)
    application.pages.review.page.bar.start.click()
    until(qtbot, application, lambda session: helps("alpha", session))
    assert application.run_order.order.keys == (ALPHA, BETA), "what is started is helped first"
    return application


def test_when_a_run_ends_the_next_one_begins_without_a_click_and_all_say_why(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    application = both(qtbot, opened, tmp_path)
    be(tmp_path, alpha="finished")
    until(qtbot, application, lambda session: helps("beta", session))
    assert started(tmp_path) == ["alpha", "beta"]
    why = "Helping “Beta”: “Alpha” has ended"
    page = application.pages.training.page
    qtbot.waitUntil(lambda: f"{why}." in page.events.toPlainText(), timeout=LIMIT_MILLISECONDS)
    assert None not in page._rates[""].mine, "the speeds of Alpha are not in Beta's curve"
    application.renderer.render()
    application.tray_controller.refresh()
    assert name_of_page(application) == "training"
    assert page.header.run == why
    assert application.tray_controller.tray.menu.actions()[1].text() == "Run: Beta"
    assert why in application.remote_control.answer(ControlCommand(action="status")).sentence
    assert why in page.order.text, "the last changes are listed"
    log_out(application)
    again = opened("follow_world", request=LaunchRequest(is_minimised=True))
    until(qtbot, again, lambda session: helps("beta", session))
    assert again.run_order.order.switches[0].reason == "finished", "they are kept"


def test_who_quits_ends_the_order_too(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    application = both(qtbot, opened, tmp_path)
    with qtbot.waitSignal(application.shutdown.finished, timeout=LIMIT_MILLISECONDS):
        application.quit()
    look_again(application)
    assert application.session_controller.session.phase == "ended"
    assert started(tmp_path) == ["alpha"]


def look_again(application: Application) -> None:
    """Have the time come at which the order is looked at, and what it then does begin."""
    application.run_order._timer.timeout.emit()
    application.bridge.deliver()


def log_out(application: Application) -> None:
    """The desktop's session ends, and the program with it."""
    application.shutdown.wait()
    application.close()


def test_a_paused_run_that_is_open_again_is_named_and_follows_when_the_present_one_ends(
    qtbot: QtBot, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "LOOK_SECONDS", 1.0)
    monkeypatch.setattr(engine, "IDLE_LOOK_SECONDS", 1.0)
    application = both(qtbot, opened, tmp_path)
    be(tmp_path, alpha="paused")
    until(qtbot, application, lambda session: helps("beta", session))
    be(tmp_path)
    until(qtbot, application, lambda session: session.reopened is not None and session.reopened.name == "Alpha")
    assert helps("beta", application.session_controller.session), "it goes on"
    be(tmp_path, beta="finished")
    until(qtbot, application, lambda session: helps("alpha", session))
    assert [switch.to for switch in application.run_order.order.switches] == ["Alpha", "Beta"]
    for _ in range(2):
        be(tmp_path, alpha="paused", beta="finished")
        until(qtbot, application, lambda session: session.phase == "ended")
        be(tmp_path, beta="finished")
        until(qtbot, application, lambda session: helps("alpha", session))


def test_a_run_that_cannot_be_reached_for_a_while_makes_way(
    qtbot: QtBot, opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controller, "PATIENCE_SECONDS", 3.0)
    application = both(qtbot, opened, tmp_path)
    be(tmp_path, alpha="unreachable")
    until(qtbot, application, lambda session: helps("beta", session))
    assert application.run_order.order.switches[0].reason == "unreachable"
    assert standing_of(application, ALPHA) == "unreachable"


def standing_of(application: Application, run: RunKey) -> str | None:
    """What is known to be in the way of that run."""
    return application.run_order.director.state.obstacle_of(run)


def test_a_run_that_has_changed_asks_and_is_skipped_until_it_is_answered(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    application = both(qtbot, opened, tmp_path)
    be(tmp_path, alpha="finished", beta="changed")
    bar = application.window.notice.callout
    qtbot.waitUntil(lambda: "“Beta” has changed" in bar.text, timeout=LIMIT_MILLISECONDS)
    assert started(tmp_path) == ["alpha"]
    bar.action.click()
    until(qtbot, application, lambda session: session.is_search_finished and session.consent is None)
    application.renderer.render()
    assert "recipe.width" in application.pages.review.page.offer.changes.text
    application.pages.review.page.bar.start.click()
    until(qtbot, application, lambda session: session.phase == "training")
    assert started(tmp_path) == ["alpha", "beta"]


def test_who_leaves_a_run_has_left_and_the_order_begins_again_by_a_click(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    application = both(qtbot, opened, tmp_path)
    application.pages.training.page.leave_requested.emit()
    until(qtbot, application, lambda session: session.phase == "ended")
    look_again(application)
    assert application.session_controller.session.phase == "ended"
    assert started(tmp_path) == ["alpha"]
    application.renderer.render()
    card = application.pages.join.page.order
    assert card.begin.isVisibleTo(card)
    card.begin.click()
    until(qtbot, application, lambda session: helps("alpha", session))


def test_a_run_that_a_person_has_started_makes_way_without_a_wait(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    application = both(qtbot, opened, tmp_path)
    application.pages.training.page.leave_requested.emit()
    until(qtbot, application, lambda session: session.phase == "ended")
    find(qtbot, application, SECOND)
    application.pages.review.page.bar.start.click()
    until(qtbot, application, lambda session: helps("beta", session))
    be(tmp_path, beta="paused")
    until(qtbot, application, lambda session: helps("alpha", session))
    assert application.run_order.order.switches[0].reason == "paused"


def test_the_order_is_changed_with_the_keyboard_alone(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    be(tmp_path)
    application = opened("follow_world")
    for link in (FIRST, SECOND):
        defer(qtbot, application, link)
    application.renderer.render()
    card = application.pages.join.page.order
    application.window.activateWindow()
    press(card, BETA, "up")
    assert ordered(application) == ["beta", "alpha"]
    qtbot.waitUntil(lambda: card.rows[BETA].down.hasFocus(), timeout=LIMIT_MILLISECONDS)
    press(card, BETA, "down")
    assert ordered(application) == ["alpha", "beta"]
    press(card, ALPHA, "remove")
    assert ordered(application) == ["beta"]
    assert card.add.hasFocus(), "which offers what was struck out by mistake"
    card.add.menu().actions()[0].trigger()
    assert ordered(application) == ["beta", "alpha"]
    assert card.return_after.accessibleName() and card.rows[BETA].remove.accessibleName()


def ordered(application: Application) -> list[str]:
    """The ids of the runs, in their order."""
    return [run_id for run_id, _ in application.run_order.order.keys]


def press(card: OrderCard, key: RunKey, button: str) -> None:
    """Put the focus on that button of the run's row, and press Space."""
    widget = getattr(card.rows[key], button)
    widget.setFocus()
    QTest.keyClick(widget, Qt.Key.Key_Space)
