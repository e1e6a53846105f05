"""A newer version is told in the window once, to who wants to know, and its page opened by a click only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.appearance.language import Language
from app.appearance.theme import Theme
from app.application import Application
from app.controllers.settings_store import SettingsStore
from app.controllers.thread_bridge import Bridge
from app.controllers.update_controller import UpdateController
from app.desktop.external_link import open_web_link
from app.desktop.launch_request import LaunchRequest
from app.pages.settings.page import SettingsPage
from app.shell.first_window import InitialWindow
from app.shell.notices import Notices
from core.files.folders import Folders
from core.records.settings import Settings, load_settings, save_settings
from core.security.identity import Identity
from core.updates.notice import PortableFile, SignedNotice, UpdateNotice
from core.updates.publisher import source_of
from core.updates.state import AGAIN_SECONDS, EVERY_SECONDS, UpdateState
from core.version import own_version
from tests.app.support.browser import Browser, installed
from tests.app.support.language_context import speaking
from tests.app.support.sample_sessions import child
from tests.support.checkout import ROOT
from tests.support.environment.update_server import NoticeServer, serving_notices

PUBLISHER = Identity.create()
NEWER = UpdateNotice(version="999.0", page="https://example.org/workerbee")
NEWEST = UpdateNotice(version="999.1", page="https://example.org/workerbee")
WITH_FILE = UpdateNotice(
    version="999.0",
    page=NEWER.page,
    portable=PortableFile(address="https://example.org/workerbee-999.0.run", size_bytes=1, sha256="0" * 64),
)
NOW = 1_800_000_000.0
LIMIT_MILLISECONDS = 60_000

Open = Callable[..., "Looking"]


def signed(notice: UpdateNotice, publisher: Identity = PUBLISHER) -> bytes:
    """As it lies on the server."""
    return SignedNotice.sign(notice, publisher).to_bytes()


class Looking:
    """A window that is asked to look, at a time of the test's choice."""

    def __init__(self, qtbot: QtBot, qt: QApplication) -> None:
        self._qtbot = qtbot
        self.now = NOW
        self.folders = Folders.default()
        self.folders.prepare()
        settings_store = SettingsStore(self.folders.settings_file)
        self.initial_window = InitialWindow(self.folders, settings_store, Theme(qt), Language(qt))
        self.updates = UpdateController(
            settings_store,
            self.folders,
            Bridge(),
            Notices(self.initial_window.window).show_update,
            now=lambda: self.now,
        )
        self.known: list[UpdateNotice] = []
        self.updates.newer_known.connect(self.known.append)
        self.updates.start()

    @property
    def said(self) -> str:
        """What stands above the page."""
        bar = self.initial_window.window.notice
        return "" if bar.isHidden() else bar.callout.text

    def look(self) -> None:
        """And wait for the answer, if anybody was asked."""
        self.updates.poll()
        self._qtbot.waitUntil(lambda: not self.updates.is_checking, timeout=LIMIT_MILLISECONDS)

    def end(self) -> None:
        """Nothing of it is left."""
        self.updates.stop()
        self.initial_window.window.close_for_good()
        self.initial_window.window.deleteLater()


@pytest.fixture
def server() -> Iterator[NoticeServer]:
    """It announces a version that is newer than ours for a long time."""
    with serving_notices() as server:
        server.body = signed(NEWER)
        yield server


@pytest.fixture
def opened(qtbot: QtBot, qapp: QApplication, server: NoticeServer) -> Iterator[Open]:
    """Opens windows, one after the other, of a person who asks that server."""
    windows: list[Looking] = []
    folders = Folders.default()
    folders.prepare()
    named = Settings(update_address=server.address, update_publisher=PUBLISHER.peer_id)

    def open_one(*, is_seen: bool = True, is_wanted: bool = True) -> Looking:
        save_settings(folders.settings_file, msgspec.structs.replace(named, update_check=is_wanted))
        windows.append(Looking(qtbot, qapp))
        windows[-1].initial_window.open(LaunchRequest(is_minimised=not is_seen))
        return windows[-1]

    yield open_one
    for window in windows:
        window.end()


@pytest.fixture
def browser() -> Iterator[Browser]:
    """Instead of the person's own."""
    with installed() as browser:
        yield browser


def test_a_newer_version_is_told_once_and_opened_by_a_click(opened: Open, browser: Browser) -> None:
    window = opened()
    window.look()
    assert window.said == f"Workerbee 999.0 is there.\nThis is {own_version()}. Nothing is downloaded by itself."
    assert browser.opened == []
    window.initial_window.window.notice.callout.action.click()
    assert browser.opened == ["https://example.org/workerbee"] and window.said == ""
    window.look()
    assert window.said == "" and window.known == [NEWER]
    again = opened()
    again.now += 2 * EVERY_SECONDS
    again.look()
    assert again.said == "", "it is told a second time"
    assert again.known == [NEWER, NEWER], "the settings do not know it any more"


@pytest.fixture
def portable_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This checkout lies where a .run file puts Workerbee, as far as a link can make that so."""
    program = tmp_path / ".local" / "lib" / "workerbee"
    program.parent.mkdir(parents=True)
    program.symlink_to(ROOT)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.usefixtures("portable_form")
def test_who_has_the_portable_form_is_told_how_to_install_the_newer_version(
    opened: Open, server: NoticeServer, qtbot: QtBot
) -> None:
    server.body = signed(WITH_FILE)
    window = opened()
    window.look()
    told = "To install it, quit Workerbee and type workerbee update in a terminal."
    assert window.said.endswith(f"Nothing is downloaded by itself. {told}")
    page = SettingsPage()
    qtbot.addWidget(page)
    page.updates.show_newer(window.updates.newer_version)
    assert page.updates.installation.text() == told and not page.updates.installation.isHidden()
    page.updates.show_newer(NEWER)
    assert page.updates.installation.isHidden(), "a version without a .run file is installed from its page"
    with speaking("de"):
        page.updates.show_newer(WITH_FILE)
    assert page.updates.installation.text().startswith("Zum Installieren beenden Sie Workerbee")


def test_who_has_another_form_is_not_told_of_workerbee_update(opened: Open, server: NoticeServer, qtbot: QtBot) -> None:
    server.body = signed(WITH_FILE)
    window = opened()
    window.look()
    assert window.known == [WITH_FILE] and "workerbee update" not in window.said
    page = SettingsPage()
    qtbot.addWidget(page)
    page.updates.show_newer(WITH_FILE)
    assert page.updates.installation.isHidden()


def test_the_next_version_is_told_again(opened: Open, server: NoticeServer) -> None:
    window = opened()
    window.look()
    window.initial_window.window.notice.dismiss.click()
    server.body = signed(NEWEST)
    window.now += EVERY_SECONDS - 60
    window.look()
    assert len(server.asked) == 1 and window.said == ""
    window.now += 120
    window.look()
    assert len(server.asked) == 2 and window.said.startswith("Workerbee 999.1 is there.")
    window.initial_window.window.notice.dismiss.click()
    server.body = signed(NEWER)
    window.now += EVERY_SECONDS
    window.look()
    assert len(server.asked) == 3 and window.said == "" and window.known[-1] == NEWEST


@pytest.mark.parametrize("wrong", ["signature", "nonsense", "dead", "older"])
def test_what_is_no_news_is_not_told_and_asked_for_again_later(opened: Open, server: NoticeServer, wrong: str) -> None:
    window = opened()
    server.body = {
        "signature": signed(NEWER, Identity.create()),
        "nonsense": b"<html>",
        "dead": b"",
        "older": signed(UpdateNotice(version="0.0.1", page=NEWER.page)),
    }[wrong]
    if wrong == "dead":
        server.shutdown()
        server.server_close()
    window.look()
    assert window.said == "" and window.known == []
    diary = UpdateState(window.folders.contents.updates_file)
    assert not diary.is_due(NOW + AGAIN_SECONDS - 1)
    assert diary.is_due(NOW + AGAIN_SECONDS) == (wrong != "older")
    server.body = signed(NEWER)
    window.now += 60
    window.look()
    assert len(server.asked) == (wrong != "dead"), "a nag"


def test_who_does_not_want_to_know_asks_nobody(opened: Open, server: NoticeServer) -> None:
    window = opened(is_wanted=False)
    window.look()
    assert server.asked == [] and not window.folders.contents.updates_file.exists()


def test_nobody_is_told_in_a_hidden_window_or_in_the_place_of_something_else(opened: Open) -> None:
    window = opened(is_seen=False)
    window.look()
    assert window.said == "" and window.known == [NEWER]
    window.initial_window.window.show()
    bar = window.initial_window.window.notice
    bar.show_notice("bad", "The disk is full.")
    window.look()
    assert window.said == "The disk is full."
    bar.dismiss.click()
    window.look()
    assert window.said.startswith("Workerbee 999.0 is there.")


def test_a_server_that_keeps_silent_holds_nobody_up(opened: Open, server: NoticeServer) -> None:
    server.drips = True
    window = opened()
    window.updates.poll()
    assert window.updates.is_checking
    window.updates.stop()
    assert window.said == ""


@pytest.mark.parametrize("page", ["http://example.org/", "file:///etc/passwd", "https://a@b.example/", "x"])
def test_nothing_but_an_ordinary_https_page_is_opened(qapp: QApplication, browser: Browser, page: str) -> None:
    open_web_link(page)
    assert browser.opened == []


def test_the_tick_is_told_and_kept(qtbot: QtBot) -> None:
    page = SettingsPage()
    qtbot.addWidget(page)
    assert page.updates.tick.isEnabled() == (source_of(Settings()) is not None)
    named = Settings(update_address="https://example.org/a.json", update_publisher=PUBLISHER.peer_id)
    page.show_settings(named)
    hint = page.updates.hint.text().replace("\u200b", "")
    assert page.updates.tick.isChecked() and hint.startswith("example.org is asked, and sees your IP address.")
    with qtbot.waitSignal(page.settings_changed) as changed:
        page.updates.tick.click()
    settings = changed.args[0]
    assert not settings.update_check and not page.updates.tick.isChecked()
    save_settings(Folders.default().settings_file, settings)
    assert load_settings(Folders.default().settings_file) == (settings, None)
    assert "update_check = false\n" in Folders.default().settings_file.read_text()


def test_the_settings_of_the_whole_window_lead_to_the_page(
    opened: Open, qtbot: QtBot, qapp: QApplication, browser: Browser
) -> None:
    opened(is_seen=False).look()
    folders = Folders.default()
    settings_store = SettingsStore(folders.settings_file)
    settings_store.replace(is_tray_explained=True)  # that notice would come first
    initial_window = InitialWindow(folders, settings_store, Theme(qapp), Language(qapp))
    initial_window.open(LaunchRequest())
    application = Application(initial_window)
    application.open(LaunchRequest())
    qtbot.waitUntil(lambda: application.updates is not None, timeout=LIMIT_MILLISECONDS)
    application.navigator.open_settings()
    page = child(application.window, SettingsPage)
    assert page.updates.newer.isVisible() and "Workerbee 999.0 is there" in page.updates.newer.text()
    page.updates.newer.click()
    assert browser.opened == ["https://example.org/workerbee"]
    assert application.updates is not None
    application.updates.poll()
    assert application.window.notice.callout.title == "Workerbee 999.0 is there."
    application.close()
