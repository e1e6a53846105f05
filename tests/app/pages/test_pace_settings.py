"""The limits of pace on the settings page: what a person changes, and what is measured now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pytestqt.qtbot import QtBot

from app.pages.settings.pace_settings import PaceSettings
from app.pages.settings.page import SettingsPage
from core.availability.observation import Observation
from core.availability.pacing import FULL, Pace
from core.availability.rules import AvailabilityRules
from core.records.settings import Settings

SEEN = Observation(
    datetime(2026, 11, 25, 12, tzinfo=UTC), 0.0, gpu_celsius=83.0, gpu_watts=201.4, can_limit_uploads=True
)
LIMITED = AvailabilityRules(gpu_celsius=80, fan_percent=50, attended_upload_rate=250_000, download_rate=10**6)
CHANGES: dict[str, tuple[Callable[[PaceSettings], None], AvailabilityRules]] = {
    "heat": (lambda part: part.rows["heat"].switch.click(), AvailabilityRules(gpu_celsius=75)),
    "power": (lambda part: part.rows["power"].switch.click(), AvailabilityRules(gpu_watts=200)),
    "noise": (lambda part: part.rows["noise"].switch.click(), AvailabilityRules(fan_percent=50)),
    "somebody there": (lambda part: part.attended.switch.click(), AvailabilityRules(attended_compute_share=0.5)),
    "upload": (
        lambda part: part.rates["attended_upload_rate"].setValue(250),
        AvailabilityRules(attended_upload_rate=250_000),
    ),
    "least upload": (lambda part: part.rates["upload_rate"].setValue(1), AvailabilityRules(upload_rate=10_000)),
    "download": (
        lambda part: part.rates["attended_download_rate"].setValue(900),
        AvailabilityRules(attended_download_rate=900_000),
    ),
    "download at other times": (
        lambda part: part.rates["download_rate"].setValue(2000),
        AvailabilityRules(download_rate=2_000_000),
    ),
}


@pytest.fixture
def page(qtbot: QtBot, english: None) -> SettingsPage:
    page = SettingsPage()
    qtbot.addWidget(page)
    page.show_settings(Settings())
    return page


@pytest.mark.parametrize(("change", "wanted"), CHANGES.values(), ids=CHANGES.keys())
def test_every_limit_is_emitted_as_whole_settings(
    page: SettingsPage, qtbot: QtBot, change: Callable[[PaceSettings], None], wanted: AvailabilityRules
) -> None:
    with qtbot.waitSignal(page.settings_changed) as changed:
        change(page.pace)
    assert changed.args == [Settings(availability=wanted)]


def test_what_is_measured_is_said_beside_each_limit_that_is_set(page: SettingsPage) -> None:
    page.show_settings(Settings(availability=LIMITED))
    pace = Pace(0.6, 250_000, "heat", 83.0, 80.0)
    page.pace.show_sights(pace, SEEN)
    assert page.pace.now.text() == "Slowed to 60 %: GPU at 83 °C, your limit is 80"
    readings = {cause: row.reading.text() for cause, row in page.pace.rows.items()}
    assert readings == {"heat": "83 °C now", "power": "", "noise": "cannot be measured here"}
    assert (page.pace.upload.text(), page.pace.download.text()) == ("at most 250.0 KB a second now", "no limit now")
    page.show_settings(Settings(availability=AvailabilityRules(attended_compute_share=0.25)))
    page.pace.show_sights(Pace(0.25, cause="presence"), replace(SEEN, idle_seconds=240.0))
    assert page.pace.now.text() == "Slowed to 25 %: somebody is using this computer"
    limit = page.pace.attended.limit
    assert limit is not None and (limit.value(), page.pace.attended.reading.text()) == (25, "idle for 4 min")
    page.show_settings(Settings(availability=LIMITED))
    page.pace.show_sights(FULL, replace(SEEN, can_limit_uploads=False))
    assert page.pace.now.text() == ""
    assert page.pace.upload.text().startswith("cannot limit here")
    page.pace.show_sights(Pace(download_rate=10**6), SEEN)
    assert page.pace.download.text() == "at most 1.0 MB a second now"
