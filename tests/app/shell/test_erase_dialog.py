"""Remove my data: what is there is named first, and goes only when the program has ended."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.controllers.thread_bridge import Bridge
from app.pages.settings.page import SettingsPage
from app.shell.erase_dialog import EraseDialog
from core.files.folders import Folders
from core.files.locks import try_lock
from core.records.erase import DataCategory


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


def asked(folders: Folders, qtbot: QtBot) -> EraseDialog:
    """The dialog, open."""
    window = QWidget()
    qtbot.addWidget(window)
    removal = EraseDialog(folders, Bridge(window), window)
    removal.open()
    return removal


def until_listed(removal: EraseDialog, line: str, qtbot: QtBot) -> None:
    """Wait until that line is in the list of what is kept."""
    qtbot.waitUntil(lambda: removal.box is not None and line in removal.box.informativeText(), timeout=30_000)


@pytest.fixture
def removal(folders: Folders, qtbot: QtBot, english: None) -> EraseDialog:
    """Asked about."""
    return asked(folders, qtbot)


def button(removal: EraseDialog, role: QMessageBox.ButtonRole) -> QPushButton:
    """The one with that role."""
    box = removal.refusal or removal.box
    assert box is not None
    found = next(each for each in box.buttons() if box.buttonRole(each) is role)
    assert isinstance(found, QPushButton)
    return found


def test_it_names_what_is_kept_and_deletes_nothing_while_it_asks(
    removal: EraseDialog, folders: Folders, qtbot: QtBot
) -> None:
    until_listed(removal, "Logs: 4.7 KB", qtbot)
    removal.erase_if_agreed()
    assert (folders.logs / "client.log").exists()


def test_it_asks_at_once_however_long_the_files_take_to_be_counted_and_may_be_closed_before(
    folders: Folders, qtbot: QtBot, english: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = threading.Event()
    monkeypatch.setattr(DataCategory, "held_bytes", property(lambda _: 4700 if counted.wait(5) else 0))
    first = asked(folders, qtbot)
    button(first, QMessageBox.ButtonRole.RejectRole).click()
    removal = asked(folders, qtbot)
    assert removal.box is not None and removal.box.isVisible()
    assert removal.box.informativeText() == "Counting what is kept…"
    counted.set()
    until_listed(removal, "Logs: 4.7 KB", qtbot)


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


@pytest.mark.parametrize("runs_before", [True, False])
def test_beside_the_service_nothing_is_agreed_to_and_the_person_is_told(
    folders: Folders, qtbot: QtBot, english: None, runs_before: bool
) -> None:
    removal = asked(folders, qtbot) if not runs_before else None
    service = try_lock(folders.contents.service_lock)
    assert service is not None
    with service:
        removal = removal or asked(folders, qtbot)
        with qtbot.assertNotEmitted(removal.agreed):
            if removal.box is not None:
                button(removal, QMessageBox.ButtonRole.DestructiveRole).click()
        assert removal.box is None and removal.refusal is not None and removal.refusal.isVisible()
        assert "workerbee service remove" in removal.refusal.informativeText()
        button(removal, QMessageBox.ButtonRole.RejectRole).click()
    removal.erase_if_agreed()
    assert removal.refusal is None and (folders.logs / "client.log").exists()
    removal.open()
    assert removal.box is not None


def test_downloads_can_go_alone(folders: Folders, qtbot: QtBot, english: None) -> None:
    downloaded = folders.contents.fetched / "files" / "a-data-set"
    downloaded.parent.mkdir(parents=True)
    downloaded.write_bytes(b"x" * 5200)
    removal = asked(folders, qtbot)
    until_listed(removal, "Downloaded models and data sets: 5.2 KB", qtbot)
    assert removal.box is not None
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
