"""The clock of the window ticks less often for what nobody sees."""

from __future__ import annotations

from collections import Counter

import pytest
from pytestqt.qtbot import QtBot

from app.shell.refresh_timer import RefreshTimer


@pytest.mark.parametrize(
    ("is_seen", "expected"),
    [(True, {"record": 60, "redraw": 60, "check": 12}), (False, {"record": 21, "redraw": 12, "check": 12})],
)
def test_in_a_minute_a_window_that_nobody_sees_does_half_or_less(
    qtbot: QtBot, is_seen: bool, expected: dict[str, int]
) -> None:
    timer = RefreshTimer(lambda: is_seen)
    told = Counter[str]()
    timer.record_due.connect(lambda: told.update(["record"]))
    timer.redraw_due.connect(lambda: told.update(["redraw"]))
    timer.check_due.connect(lambda: told.update(["check"]))
    passed = 0
    while passed < 60_000:
        passed += timer._timer.interval()
        timer._timer.timeout.emit()
    assert told == expected
