"""The rules on the settings page: each input is told as whole settings, and each rule says what it sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.pages.settings.availability_settings import AvailabilitySettings
from app.pages.settings.page import SettingsPage
from app.widgets.labels import Hint
from core.availability.decision import Decision, Reason
from core.availability.observation import Observation
from core.availability.presets import NIGHT, Preset, with_preset
from core.availability.rule_views import rule_views
from core.availability.rules import ALWAYS, AvailabilityRules
from core.records.pauses import Interval
from core.records.settings import Settings
from tests.app.conftest import let_qt_delete
from tests.app.pages.test_settings import choose
from tests.app.support.sample_sessions import child

NOON = Observation(datetime(2026, 11, 25, 12, tzinfo=UTC), 0.0, is_on_battery=False, idle_seconds=240.0, games=())


@pytest.fixture
def page(qtbot: QtBot, english: None) -> SettingsPage:
    page = SettingsPage()
    qtbot.addWidget(page)
    page.resize(800, 600)
    page.show_settings(Settings())
    page.show()
    return page


def press(rule: str) -> Callable[[AvailabilitySettings], None]:
    """As a person does who clicks the switch of that rule."""
    return lambda part: part.rows[rule].switch.click()  # type: ignore[index]


def add(name: str) -> Callable[[AvailabilitySettings], None]:
    """As a person does who types the name of a program."""

    def type_it(part: AvailabilitySettings) -> None:
        QTest.keyClicks(part.programs.line, name)
        QTest.keyClick(part.programs.line, Qt.Key.Key_Return)

    return type_it


CHANGES: dict[str, tuple[Callable[[AvailabilitySettings], None], AvailabilityRules]] = {
    "battery": (press("battery"), AvailabilityRules(battery=False)),
    "film": (press("film"), AvailabilityRules(films=True)),
    "gpu": (press("gpu"), AvailabilityRules(gpu_share=None)),
    "gpu's limit": (lambda part: part.rows["gpu"].limit.setValue(35), AvailabilityRules(gpu_share=0.35)),  # type: ignore[union-attr]
    "cpu": (press("cpu"), AvailabilityRules(cpu_pressure=0.5)),
    "memory": (press("memory"), AvailabilityRules(memory_pressure=None)),
    "idle": (press("idle"), AvailabilityRules(idle_minutes=5)),
    "program": (add("blender"), AvailabilityRules(programs=("blender",))),
    "path of a program": (add("/usr/bin/blender "), AvailabilityRules(programs=("blender",))),
    **{
        name: (
            lambda part, name=name: part.traffic[name].setValue(20),  # type: ignore[misc]
            msgspec.structs.replace(AvailabilityRules(), **{name: 20_000_000_000}),
        )
        for name in ("sent_bytes_a_day", "received_bytes_a_day", "sent_bytes_a_month", "received_bytes_a_month")
    },
    "a day": (
        lambda part: part.grid.switch_day(6),
        AvailabilityRules(hours=(ALWAYS,) * 6 + ("." * 24,)),
    ),
    "always": (lambda part: choose(part.preset, "always"), with_preset(AvailabilityRules(), "always")),
    "away": (lambda part: choose(part.preset, "away"), AvailabilityRules(idle_minutes=5)),
    "night": (lambda part: choose(part.preset, "night"), AvailabilityRules(hours=NIGHT)),
}


@pytest.mark.parametrize(("change", "wanted"), CHANGES.values(), ids=CHANGES.keys())
def test_every_input_is_emitted_as_whole_settings(
    page: SettingsPage, qtbot: QtBot, change: Callable[[AvailabilitySettings], None], wanted: AvailabilityRules
) -> None:
    with qtbot.waitSignal(page.settings_changed) as changed:
        change(page.availability)
    assert changed.args == [Settings(availability=wanted)]
    msgspec.convert(msgspec.to_builtins(changed.args[0]), Settings)


@pytest.mark.parametrize("preset", ["always", "unneeded", "away", "night"])
def test_a_preset_is_named_and_what_is_none_of_them_is_called_so(page: SettingsPage, preset: Preset) -> None:
    rules = with_preset(AvailabilityRules(sent_bytes_a_day=10**9), preset)
    page.show_settings(Settings(availability=rules))
    assert page.availability.preset.currentData() == preset
    page.show_settings(Settings(availability=msgspec.structs.replace(rules, films=True)))
    assert page.availability.preset.currentText() == "by the rules below"


def test_every_rule_that_is_on_says_what_it_sees_also_the_disk_that_no_switch_is_for(page: SettingsPage) -> None:
    seen = replace(NOON, free_disk_bytes=12_300_000_000, is_metered=False)
    page.availability.show_sights(Decision(), rule_views(AvailabilityRules(), seen), ())
    words = [label.text() for label in page.availability.findChildren(Hint) if label.isVisibleTo(page)]
    assert {"12.3 GB are free", "metered: no"} <= {word.replace("\u200b", "") for word in words}


def test_a_preset_keeps_what_only_its_owner_can_know() -> None:
    own = AvailabilityRules(programs=("blender",), price_file="/prices.csv", highest_price=0.2, sent_bytes_a_day=10**9)
    for preset in ("always", "unneeded", "away", "night"):
        after = with_preset(own, preset)
        assert (after.programs, after.highest_price, after.sent_bytes_a_day) == (("blender",), 0.2, 10**9)
        assert after.price_file == "/prices.csv"


def test_what_is_shown_is_not_told_as_a_change(page: SettingsPage, qtbot: QtBot) -> None:
    rules = AvailabilityRules(
        battery=False, films=True, gpu_share=None, cpu_pressure=0.7, idle_minutes=9, programs=("blender",),
        price_file="/prices.csv", highest_price=0.25, hours=NIGHT, sent_bytes_a_day=3_000_000_000,
    )  # fmt: skip
    with qtbot.assertNotEmitted(page.settings_changed):
        page.show_settings(Settings(availability=rules))
        page.availability.show_sights(Decision(), rule_views(rules, NOON), {"blender"})
    part = page.availability
    assert not part.rows["battery"].switch.isChecked() and part.rows["film"].switch.isChecked()
    assert part.grid.hours.week == NIGHT and part.price.highest.text() == "0.25"


def test_a_program_is_removed_by_its_button_and_chosen_from_those_that_run(page: SettingsPage, qtbot: QtBot) -> None:
    page.show_settings(Settings(availability=AvailabilityRules(programs=("blender", "obs"))))
    with qtbot.waitSignal(page.settings_changed) as changed:
        page.availability.programs.buttons[0].click()
    assert changed.args[0].availability.programs == ("obs",)
    page.availability.show_sights(Decision(), rule_views(AvailabilityRules(), NOON), {"krita", "a\u202eb"})
    field = page.availability.programs.field
    assert [field.itemText(row) for row in range(field.count())] == ["krita"], "a name that deceives is not offered"
    with qtbot.waitSignal(page.settings_changed) as changed:
        choose(field, "krita")
    assert changed.args[0].availability.programs == ("obs", "krita")


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_a_key_opens_the_list_of_programs_and_makes_no_rule_before_one_is_chosen(
    page: SettingsPage, qtbot: QtBot
) -> None:
    running = {"krita", "obs", "kworker/0:1"}
    page.availability.show_sights(Decision(), rule_views(AvailabilityRules(), NOON), running)
    field = page.availability.programs.field
    assert field.count() == 2, "what a name with a slash would be as a rule is another program"
    field.setFocus()
    with qtbot.assertNotEmitted(page.settings_changed):
        QTest.keyClick(field, Qt.Key.Key_Down)
        qtbot.waitUntil(field.view().isVisible)
    with qtbot.waitSignal(page.settings_changed) as changed:
        QTest.keyClick(field.view(), Qt.Key.Key_End)
        QTest.keyClick(field.view(), Qt.Key.Key_Return)
    assert changed.args[0].availability.programs == ("obs",)


def test_tab_leads_from_the_field_to_each_program_whenever_it_was_added(page: SettingsPage, qtbot: QtBot) -> None:
    part = page.availability.programs
    for name in ("blender", "krita"):
        add(name)(page.availability)
    let_qt_delete()
    page.activateWindow()
    part.field.setFocus()
    reached = []
    for _ in range(3):
        QTest.keyClick(page.focusWidget(), Qt.Key.Key_Tab)
        reached.append(page.focusWidget())
    assert reached == [*part.buttons, page.availability.traffic["sent_bytes_a_day"]]


def test_a_screen_reader_tells_rules_apart_that_begin_with_the_same_words(page: SettingsPage) -> None:
    page.show_settings(Settings(availability=AvailabilityRules(gpu_share=0.35)))
    part = page.availability
    assert part.rows["gpu"].switch.accessibleName() == "Pause when other programs use 35 % of the GPU"
    names = [row.switch.accessibleName() or row.switch.text() for row in part.rows.values()]
    assert len(set(names)) == len(names)


def test_each_rule_says_who_tells_it_what_it_sees(page: SettingsPage) -> None:
    part, rules = page.availability, AvailabilityRules()
    sources = {"is_on_battery": "UPower", "is_metered": None, "idle_seconds": "Mutter", "full_screen": None}
    part.show_sights(Decision(), rule_views(rules, NOON), (), sources)
    assert part.rows["battery"].reading.text() == "on battery: no · told by UPower"
    assert "told by" not in part.rows["metered"].reading.text() + part.rows["game"].reading.text()
    assert part.rows["idle"].reading.text().endswith("told by Mutter")
    for told, words in (({}, "X11"), ({"games": "GameMode"}, "GameMode, X11")):
        part.show_sights(Decision(), rule_views(rules, NOON), (), {**told, "full_screen": "X11"})
        assert part.rows["game"].reading.text().endswith(f" · told by {words}")


def test_each_rule_says_what_it_sees_and_all_of_them_what_follows(page: SettingsPage) -> None:
    part, rules = page.availability, AvailabilityRules()
    part.show_sights(Decision((Reason("game", "SuperTux"),)), rule_views(rules, NOON), ())
    assert part.rows["battery"].reading.text() == "on battery: no"
    assert part.rows["battery"].switch.accessibleDescription() == "on battery: no"
    assert part.rows["idle"].reading.text() == "idle for 4 min"
    assert part.rows["metered"].reading.text() == "cannot see"
    assert part.rows["cpu"].reading.text() == "", "nobody looks for what no rule asks for"
    assert "SuperTux is running" in part.now.text()
    part.show_sights(Decision((), ("battery",), NOON.at), rule_views(rules, NOON), ())
    assert "free for training" in part.now.text() and "ignored until" in part.now.text()


def test_a_price_is_told_when_it_is_finished_and_its_file_chosen_in_a_dialog(page: SettingsPage, qtbot: QtBot) -> None:
    price = page.availability.price
    with qtbot.waitSignal(page.settings_changed) as changed:
        QTest.keyClicks(price.highest, "0.25")
        QTest.keyClick(price.highest, Qt.Key.Key_Return)
    assert changed.args[0].availability.highest_price == 0.25
    with qtbot.assertNotEmitted(page.settings_changed):
        QTest.keyClicks(price.highest, " cents")
        QTest.keyClick(price.highest, Qt.Key.Key_Return)
    assert price.highest.text() == "0.25"
    price.file.click()
    dialog = child(page, QFileDialog)
    with qtbot.waitSignal(page.settings_changed) as changed:
        dialog.fileSelected.emit(str(Path("/prices.csv")))
    assert changed.args[0].availability.price_file == "/prices.csv"
    dialog.close()
    with qtbot.waitSignal(page.settings_changed) as changed:
        price.address.setText("https://prices.example/today.csv")
        QTest.keyClick(price.address, Qt.Key.Key_Return)
    rules = changed.args[0].availability
    assert (rules.price_file, rules.price_address) == (None, "https://prices.example/today.csv")
    with qtbot.assertNotEmitted(page.settings_changed):
        price.address.setText("http://prices.example/today.csv")
        QTest.keyClick(price.address, Qt.Key.Key_Return)
    assert "https://" in price.reading.text()
    with qtbot.waitSignal(page.settings_changed) as changed:
        price.highest.clear()
        QTest.keyClick(price.highest, Qt.Key.Key_Return)
    assert changed.args[0].availability.highest_price is None


def test_the_newest_pauses_are_listed_newest_first(page: SettingsPage) -> None:
    hours = [datetime(2026, 11, 25, hour, tzinfo=UTC) for hour in range(9)]
    spans = [Interval(began, ended, "game", f"game {began.hour}") for began, ended in pairwise(hours)]
    page.availability.show_pauses(())
    assert page.availability.history.text() == ""
    page.availability.show_pauses(spans)
    lines = page.availability.history.text().splitlines()[1:]
    assert [line.partition("games (")[2] for line in lines] == [f"game {hour})" for hour in (7, 6, 5, 4, 3)]


def test_a_reason_can_be_ignored_until_midnight_and_heeded_again(page: SettingsPage, qtbot: QtBot) -> None:
    part, views = page.availability, rule_views(AvailabilityRules(), NOON)
    assert part.ignore.isHidden() and part.heed.isHidden()
    part.show_sights(Decision((Reason("game", "SuperTux"),)), views, ())
    with qtbot.waitSignal(part.ignore_requested):
        part.ignore.click()
    part.show_sights(Decision((), ("game",), NOON.at), views, ())
    assert part.ignore.isHidden()
    with qtbot.waitSignal(part.heed_requested):
        part.heed.click()
