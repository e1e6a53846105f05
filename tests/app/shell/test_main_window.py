"""The window itself: what is dropped on it, its keys, its place on the screen, and its notices."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.shell.main_window import FIRST, MainWindow


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    """With a page in it."""
    window = MainWindow()
    qtbot.addWidget(window, before_close_func=lambda window: window.close_for_good())
    window.show_page(QLabel("page"))
    window.show()
    return window


def drop(window: MainWindow, data: QMimeData) -> bool:
    """Let it fall on the window; whether it was willing to take it."""
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(QPoint(9, 9), action, data, button, Qt.KeyboardModifier.NoModifier)
    enter.ignore()
    window.dragEnterEvent(enter)
    if enter.isAccepted():
        window.dropEvent(QDropEvent(QPointF(9, 9), action, data, button, Qt.KeyboardModifier.NoModifier))
    return enter.isAccepted()


def test_a_run_file_and_a_link_can_be_dropped(qtbot: QtBot, window: MainWindow) -> None:
    file, link = QMimeData(), QMimeData()
    file.setUrls([QUrl.fromLocalFile("/home/me/run.toml")])
    link.setText("workerbee://join?peer=x")
    with qtbot.waitSignal(window.run_file_dropped) as caught:
        drop(window, file)
    assert caught.args == [Path("/home/me/run.toml")]
    with qtbot.waitSignal(window.text_dropped) as caught:
        drop(window, link)
    assert caught.args == ["workerbee://join?peer=x"]


def test_other_files_are_not_taken(window: MainWindow) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/home/me/photo.jpg")])
    assert not drop(window, data)


@pytest.mark.parametrize(
    ("key", "modifier", "wish"),
    [
        (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier, "back_requested"),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier, "back_requested"),
        (Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier, "settings_requested"),
        (Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier, "contributions_requested"),
        (Qt.Key.Key_F1, Qt.KeyboardModifier.NoModifier, "help_requested"),
        (Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier, "pause_or_resume_requested"),
        (Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier, "close_requested"),
        (Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier, "quit_requested"),
    ],
)
def test_every_key_is_a_wish(
    qtbot: QtBot, window: MainWindow, key: Qt.Key, modifier: Qt.KeyboardModifier, wish: str
) -> None:
    window.activateWindow()
    with qtbot.waitSignal(getattr(window, wish)):
        QTest.keyClick(window, key, modifier)


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_a_button_is_pressed_with_return_too_whatever_the_desktop_s_theme(
    qtbot: QtBot, window: MainWindow, key: Qt.Key
) -> None:
    window.activateWindow()
    window.header.settings.setFocus()
    with qtbot.waitSignal(window.settings_requested):
        QTest.keyClick(window.header.settings, key)


def test_the_cross_only_asks(qtbot: QtBot, window: MainWindow) -> None:
    with qtbot.waitSignal(window.close_requested):
        window.close()
    assert window.isVisible()
    window.close_for_good()
    assert not window.isVisible()


def test_its_place_is_remembered_and_nonsense_is_not_obeyed(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.resize(700, 500)
    place = tmp_path / "place"
    place.write_bytes(window.geometry_bytes())
    another = MainWindow()
    qtbot.addWidget(another, before_close_func=lambda window: window.close_for_good())
    another.restore_geometry_from(place)
    assert another.size() == window.size()
    place.write_bytes(b"nonsense")
    another.restore_geometry_from(place)
    another.restore_geometry_from(tmp_path / "missing")
    assert another.size() == window.size()


def test_what_nobody_sees_is_not_worth_drawing(qtbot: QtBot, window: MainWindow) -> None:
    assert window.is_seen
    with qtbot.waitSignal(window.visibility_changed) as caught:
        window.showMinimized()
    assert caught.args == [False]
    window.come_forward()
    assert window.is_seen


def test_a_notice_has_a_button_and_can_be_put_away(qtbot: QtBot, window: MainWindow) -> None:
    pressed: list[bool] = []
    window.notice.show_notice("info", "Something", "to know", button="Do it", action=lambda: pressed.append(True))
    assert window.notice.isVisible()
    window.notice.callout.action_requested.emit()
    assert pressed == [True]
    assert not window.notice.isVisible()
    window.notice.show_notice("bad", "Something", "worse")
    centre: QPoint = window.notice.dismiss.rect().center()
    QTest.mouseClick(window.notice.dismiss, Qt.MouseButton.LeftButton, pos=centre)
    assert not window.notice.isVisible()


def test_the_first_window_fits_on_a_small_screen(window: MainWindow) -> None:
    available = window.screen().availableSize()
    assert available.width() < FIRST.width(), "or else this shows nothing"
    assert window.width() < available.width() and window.height() < available.height()


def test_the_smallest_window_is_small(window: MainWindow) -> None:
    window.resize(1, 1)
    assert window.width() <= 800
    assert window.height() <= 600
