"""The tray: its pictures differ, its menu offers what can be done, its wishes say what was chosen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.shell.tray import Tray
from app.shell.tray_icons import SIZES, painted, tray_icon, tray_state
from core.availability.decision import Reason
from core.client.session import Session
from core.errors import ErrorKind
from core.protocol.client_events import Pause
from core.protocol.commands import Start
from tests.support.consents import NO_DIGEST
from tests.support.peers.fake_worker import progress

START = Start(run_id="sums", organiser="me", digest=NO_DIGEST, device="cpu")
TRAINING = Session(phase="training", consent=START, progress=progress(500))
HELD = replace(TRAINING, phase="paused", pause=Pause("rule", rule=Reason("game", "SuperTux")))
PAUSED = replace(TRAINING, phase="paused", pause=Pause())


def show(tray: Tray, session: Session, sentence: str) -> None:
    """Show the only session, and offer what suits it."""
    can_resume = session.phase == "paused"
    tray.show_sessions(session, (sentence,), can_pause=session.is_at_work, can_resume=can_resume)


def shown(tray: Tray) -> list[str]:
    """The menu as a person reads it."""
    tray.menu.aboutToShow.emit()
    actions = [action for action in tray.menu.actions() if action.isVisible() and not action.isSeparator()]
    return [action.text().replace("&", "") for action in actions]


@pytest.mark.parametrize(
    ("session", "state"),
    [
        (Session(), "idle"),
        (TRAINING, "training"),
        (PAUSED, "paused"),
        (replace(TRAINING, phase="ended", problem=ErrorKind.WORKER_CRASHED), "problem"),
    ],
)
def test_the_picture_says_the_state(session: Session, state: str) -> None:
    assert tray_state(session) == state


def test_every_picture_is_different_in_every_size(qtbot: QtBot) -> None:
    for size in SIZES:
        icons = [painted("idle", 0), painted("paused", 0), painted("problem", 0)]
        icons += [painted("training", step) for step in (0, 12, 24)]
        images = [icon.pixmap(size, size).toImage().convertToFormat(QImage.Format.Format_ARGB32) for icon in icons]
        assert len({bytes(image.constBits()) for image in images}) == len(icons)


def test_the_ring_is_painted_anew_only_where_it_looks_different(qtbot: QtBot) -> None:
    a_little_further = replace(TRAINING, progress=progress(505))
    assert tray_icon(TRAINING).cacheKey() == tray_icon(a_little_further).cacheKey()
    assert tray_icon(TRAINING).cacheKey() != tray_icon(replace(TRAINING, progress=progress(900))).cacheKey()


def test_the_menu_offers_what_can_be_done(qtbot: QtBot) -> None:
    tray = Tray()
    show(tray, Session(), "")
    assert shown(tray) == ["Nothing is running", "Open Workerbee", "Quit"]
    show(tray, TRAINING, "Training · epoch 8")
    assert shown(tray) == [
        "Training · epoch 8",
        "Open Workerbee",
        "Pause",
        "Finish this epoch, then stop",
        "Quit",
    ]
    show(tray, PAUSED, "Paused by you until you resume")
    assert shown(tray) == ["Paused by you until you resume", "Open Workerbee", "Resume", "Quit"]
    show(tray, HELD, "Paused: SuperTux is running")
    assert shown(tray) == ["Paused: SuperTux is running", "Open Workerbee", "Resume now", "Quit"]


def test_of_several_devices_each_has_a_line_and_what_suits_any_is_offered(qtbot: QtBot) -> None:
    tray = Tray()
    tray.show_sessions(TRAINING, ("GPU 0: Training", "GPU 1: Paused"), can_pause=True, can_resume=True)
    assert shown(tray)[:2] == ["GPU 0: Training", "GPU 1: Paused"]
    assert {"Pause", "Resume"} <= set(shown(tray))
    show(tray, TRAINING, "Training")
    assert shown(tray) == ["Training", "Open Workerbee", "Pause", "Finish this epoch, then stop", "Quit"]


def test_a_pause_is_wished_for_as_long_as_was_chosen(qtbot: QtBot) -> None:
    tray = Tray()
    show(tray, TRAINING, "")
    (pause,) = tray.menu.findChildren(QMenu)
    wishes: list[float | None] = []
    tray.pause_requested.connect(wishes.append)
    for action in pause.actions():
        action.trigger()
    assert [action.text() for action in pause.actions()] == [
        "Pause for 30 minutes",
        "Pause for 1 hour",
        "Pause for 3 hours",
        "Pause until I resume",
    ]
    assert wishes == [1800.0, 3600.0, 10800.0, None]


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("Open Workerbee", "open_requested"),
        ("Finish this epoch, then stop", "finish_requested"),
        ("Quit", "quit_requested"),
    ],
)
def test_every_line_of_the_menu_is_a_wish(qtbot: QtBot, words: str, wish: str) -> None:
    tray = Tray()
    show(tray, TRAINING, "")
    action = next(each for each in tray.menu.actions() if each.text().replace("&", "") == words)
    with qtbot.waitSignal(getattr(tray, wish)):
        action.trigger()


def test_before_there_is_a_panel_there_is_no_icon_and_nothing_to_say(qtbot: QtBot) -> None:
    tray = Tray()
    assert not tray.is_visible
    assert not tray.show_notification("Title", "words")
