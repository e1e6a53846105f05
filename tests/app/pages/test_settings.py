"""The settings are sentences with blanks; each blank that is filled in is told as whole settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.pages.settings.page import SettingsPage
from app.widgets.inline_inputs import Choice
from core.availability.rules import AvailabilityRules
from core.countries import COUNTRIES
from core.errors import ErrorKind
from core.records.settings import Settings
from tests.app.support.sample_sessions import BUSY_GPU, CPU, GPU, child, seen


@pytest.fixture
def page(qtbot: QtBot) -> SettingsPage:
    page = SettingsPage()
    qtbot.addWidget(page)
    page.resize(800, 600)
    page.show_devices(seen(GPU, BUSY_GPU, CPU))
    page.show_settings(Settings())
    page.show()
    return page


def choose(choice: Choice, value: object) -> None:
    """As a person does who picks it from the list."""
    choice.show_chosen(value)
    choice.activated.emit(choice.currentIndex())


CHANGES: dict[str, tuple[Callable[[SettingsPage], None], Settings]] = {
    "device": (lambda page: choose(page.computer.device, GPU.uuid), Settings(device=GPU.uuid or "")),
    "cpu": (lambda page: choose(page.computer.device, "cpu"), Settings(device="cpu")),
    "threads": (lambda page: page.computer.threads.setValue(1), Settings(threads=1)),
    "network": (lambda page: choose(page.computer.network, "client"), Settings(network="client")),
    "port": (lambda page: page.computer.port.setValue(31337), Settings(port=31337)),
    "limit": (lambda page: page.computer.limit.setValue(20), Settings(disk_limit_bytes=20_000_000_000)),
    "country": (lambda page: choose(page.computer.country, "DE"), Settings(country="DE")),
    "login": (lambda page: choose(page.window_behaviour.login, True), Settings(start_at_login=True)),
    "opening": (lambda page: choose(page.window_behaviour.opening, True), Settings(start_minimised=True)),
    "closing": (lambda page: choose(page.window_behaviour.closing, False), Settings(close_to_tray=False)),
    "telling": (lambda page: choose(page.window_behaviour.notifications, False), Settings(notifications=False)),
    "theme": (lambda page: choose(page.window_behaviour.theme, "dark"), Settings(theme="dark")),
    "language": (lambda page: choose(page.window_behaviour.language, "de"), Settings(language="de")),
}


@pytest.mark.parametrize(("change", "wanted"), CHANGES.values(), ids=CHANGES.keys())
def test_every_blank_is_emitted_as_whole_settings(
    page: SettingsPage, qtbot: QtBot, change: Callable[[SettingsPage], None], wanted: Settings
) -> None:
    with qtbot.waitSignal(page.settings_changed) as changed:
        change(page)
    assert changed.args == [wanted]
    msgspec.convert(msgspec.to_builtins(changed.args[0]), Settings)


def test_what_is_shown_is_not_told_as_a_change(page: SettingsPage, qtbot: QtBot) -> None:
    all_of_it = Settings(
        device=BUSY_GPU.uuid or "",
        threads=1,
        network="direct",
        port=4000,
        public_name="Anna",
        may_be_named=True,
        country="AT",
        data_folder="/somewhere",
        disk_limit_bytes=5_000_000_000,
        start_at_login=True,
        theme="dark",
        language="de",
    )
    with qtbot.assertNotEmitted(page.settings_changed):
        page.show_settings(all_of_it)
        page.show_devices(seen(CPU))
    assert page.computer.threads.value() == 1 and page.computer.port.value() == 4000
    assert page.computer.name.text() == "Anna" and page.window_behaviour.theme.currentData() == "dark"
    assert page.computer.device.currentData() == BUSY_GPU.uuid


def test_one_change_keeps_the_others(page: SettingsPage, qtbot: QtBot) -> None:
    page.show_settings(Settings(threads=1, theme="dark"))
    with qtbot.waitSignal(page.settings_changed) as changed:
        page.computer.port.setValue(4000)
    assert changed.args == [Settings(threads=1, theme="dark", port=4000)]


def test_a_line_has_two_speeds_and_may_be_unknown(page: SettingsPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.settings_changed) as changed:
        page.computer.upload.setValue(20)
    with qtbot.waitSignal(page.settings_changed) as changed:
        page.computer.download.setValue(100)
    assert changed.args == [Settings(upload_mbits=20.0, download_mbits=100.0)]
    with qtbot.waitSignal(page.settings_changed) as changed:
        page.computer.upload.setValue(0)
    assert changed.args == [Settings(download_mbits=100.0)]


def test_a_small_limit_is_not_shown_as_none(page: SettingsPage, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(page.settings_changed):
        page.show_settings(Settings(disk_limit_bytes=400_000_000, memory_limit_bytes=100_000_000))
    assert page.computer.limit.text() == page.computer.memory.text() == "1 GB"


def test_a_name_is_told_when_it_is_finished(page: SettingsPage, qtbot: QtBot) -> None:
    page.computer.name.setFocus()
    with qtbot.assertNotEmitted(page.settings_changed):
        QTest.keyClicks(page.computer.name, "  Anna  ")
    with qtbot.waitSignal(page.settings_changed) as changed:
        QTest.keyClick(page.computer.name, Qt.Key.Key_Return)
    assert changed.args == [Settings(public_name="Anna")]
    page.computer.name.selectAll()
    QTest.keyClick(page.computer.name, Qt.Key.Key_Delete)
    with qtbot.waitSignal(page.settings_changed) as changed:
        page.window_behaviour.theme.setFocus()
    assert changed.args == [Settings()]


def test_cards_may_name_only_who_has_a_name_and_no_longer_once_that_is_gone(page: SettingsPage, qtbot: QtBot) -> None:
    credit = page.computer.credit
    assert not credit.isEnabled() and not credit.isChecked()
    page.show_settings(Settings(public_name="Anna"))
    with qtbot.waitSignal(page.settings_changed) as changed:
        QTest.mouseClick(credit, Qt.MouseButton.LeftButton, pos=QPoint(8, credit.height() // 2))
    assert changed.args == [Settings(public_name="Anna", may_be_named=True)]
    page.show_settings(changed.args[0])
    assert credit.isChecked()
    page.computer.name.setFocus()
    page.computer.name.clear()
    with qtbot.waitSignal(page.settings_changed) as changed:
        QTest.keyClick(page.computer.name, Qt.Key.Key_Return)
    assert changed.args == [Settings()]
    page.show_settings(Settings(may_be_named=True))
    assert not credit.isEnabled() and not credit.isChecked()


def test_every_country_is_offered_by_a_name_and_none_is_the_first(page: SettingsPage, qtbot: QtBot) -> None:
    page.show_settings(Settings(country="DE"))
    country = page.computer.country
    assert country.currentText() == "Germany (DE)" and country.itemData(0) is None
    assert {country.itemData(index) for index in range(1, country.count())} == COUNTRIES
    with qtbot.waitSignal(page.settings_changed) as changed:
        choose(country, None)
    assert changed.args == [Settings()]


def test_a_name_is_not_longer_than_may_be(page: SettingsPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.settings_changed) as changed:
        QTest.keyClicks(page.computer.name, "n" * 60)
        QTest.keyClick(page.computer.name, Qt.Key.Key_Return)
    assert changed.args == [Settings(public_name="n" * 40)]


def test_a_data_folder_is_picked_and_given_up_again(page: SettingsPage, qtbot: QtBot, tmp_path: Path) -> None:
    page.show_settings(Settings(data_folder=str(tmp_path)))
    assert str(tmp_path) in page.computer.folder.toolTip()
    with qtbot.waitSignal(page.settings_changed) as changed:
        page.computer.usual_folder.click()
    assert changed.args == [Settings()]
    assert not page.computer.usual_folder.isVisible()


def test_an_ampersand_in_a_path_is_shown_and_underlines_no_letter(page: SettingsPage) -> None:
    page.show_settings(Settings(data_folder="/R&D", availability=AvailabilityRules(price_file="/R&D")))
    for button in (page.computer.folder, page.availability.price.file):
        assert (button.text(), button.toolTip()) == ("/R&&D", "/R&D")


def test_the_folder_is_asked_for_in_a_dialog(page: SettingsPage, qtbot: QtBot, tmp_path: Path) -> None:
    page.computer.folder.click()
    dialog = child(page, QFileDialog)
    with qtbot.waitSignal(page.settings_changed) as changed:
        dialog.fileSelected.emit(str(tmp_path))
    assert changed.args == [Settings(data_folder=str(tmp_path))]
    dialog.close()


def test_outgoing_connections_need_no_port(page: SettingsPage) -> None:
    page.show_settings(Settings(network="client"))
    assert not page.computer.port.isEnabled()


def test_a_wheel_that_passes_over_a_blank_changes_nothing(page: SettingsPage, qtbot: QtBot) -> None:
    page.back.setFocus()
    for blank in (page.window_behaviour.theme, page.computer.port):
        down, no_button = QPoint(0, -120), Qt.MouseButton.NoButton
        wheel = QWheelEvent(
            QPointF(5, 5),
            QPointF(5, 5),
            down,
            down,
            no_button,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        with qtbot.assertNotEmitted(page.settings_changed):
            QApplication.sendEvent(blank, wheel)


def test_damaged_settings_are_named_until_the_next_change(page: SettingsPage) -> None:
    page.show_problem(ErrorKind.SETTINGS_DAMAGED, "settings.toml.broken-1")
    assert page.callout.isVisible() and "settings.toml.broken-1" in page.callout.text
    page.computer.threads.setValue(1)
    assert not page.callout.isVisible()


@pytest.mark.parametrize("way", ["button", "escape"])
def test_one_gets_back(page: SettingsPage, qtbot: QtBot, way: str) -> None:
    with qtbot.waitSignal(page.back_requested):
        if way == "button":
            page.back.click()
        else:
            QTest.keyClick(page, Qt.Key.Key_Escape)
