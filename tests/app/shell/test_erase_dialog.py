"""Remove my data: what is there is named first, and goes only when the program has ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.pages.settings.page import SettingsPage
from app.shell.erase_dialog import EraseDialog
from core.files.folders import Folders


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    """With a log, and a key."""
    folders = Folders.below(tmp_path / "home")
    for path, size in (
        (folders.logs / "client.log", 4700),
        (folders.contents.peers / "1" / "identity.key", 9),
    ):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x" * size)
    return folders


@pytest.fixture
def removal(folders: Folders, qtbot: QtBot, english: None) -> EraseDialog:
    """Asked about."""
    window = QWidget()
    qtbot.addWidget(window)
    removal = EraseDialog(folders, window)
    removal.open()
    return removal


def button(removal: EraseDialog, role: QMessageBox.ButtonRole) -> QPushButton:
    """The one with that role."""
    assert removal.box is not None
    found = next(each for each in removal.box.buttons() if removal.box.buttonRole(each) is role)
    assert isinstance(found, QPushButton)
    return found


def test_it_names_what_is_kept_and_deletes_nothing_while_it_asks(removal: EraseDialog, folders: Folders) -> None:
    assert removal.box is not None and "Logs: 4.7 KB" in removal.box.informativeText()
    removal.erase_if_agreed()
    assert (folders.logs / "client.log").exists()


def test_whoever_cancels_keeps_everything(removal: EraseDialog, folders: Folders) -> None:
    button(removal, QMessageBox.ButtonRole.RejectRole).click()
    removal.erase_if_agreed()
    assert (folders.logs / "client.log").exists()


def test_whoever_agrees_is_left_with_the_keys(removal: EraseDialog, folders: Folders, qtbot: QtBot) -> None:
    with qtbot.waitSignal(removal.agreed):
        button(removal, QMessageBox.ButtonRole.DestructiveRole).click()
    removal.erase_if_agreed()
    assert not folders.logs.exists()
    assert (folders.contents.peers / "1" / "identity.key").exists()


def test_downloads_can_go_alone(folders: Folders, qtbot: QtBot, english: None) -> None:
    downloaded = folders.contents.fetched / "files" / "a-data-set"
    downloaded.parent.mkdir(parents=True)
    downloaded.write_bytes(b"x" * 5200)
    window = QWidget()
    qtbot.addWidget(window)
    removal = EraseDialog(folders, window)
    removal.open()
    assert removal.box is not None and "Downloaded models and data sets: 5.2 KB" in removal.box.informativeText()
    next(each for each in removal.box.buttons() if "downloads only" in each.text()).click()
    removal.erase_if_agreed()
    assert not downloaded.exists() and (folders.logs / "client.log").exists()


def test_the_keys_go_too_if_that_is_ticked(removal: EraseDialog, folders: Folders) -> None:
    assert removal.box is not None
    keys = removal.box.checkBox()
    assert keys is not None
    keys.click()
    button(removal, QMessageBox.ButtonRole.DestructiveRole).click()
    removal.erase_if_agreed()
    assert not folders.data.exists()


def test_the_settings_lead_to_it(qtbot: QtBot) -> None:
    page = SettingsPage()
    qtbot.addWidget(page)
    with qtbot.waitSignal(page.removal_requested):
        page.remove.click()
