"""The clock of the window ticks less often for what nobody sees."""

from __future__ import annotations

from collections import Counter

import pytest
from pytestqt.qtbot import QtBot

from app.shell.refresh_timer import RefreshTimer


@pytest.mark.parametrize(
    ("is_seen", "expected"),
    [(True, {"record": 10, "redraw": 10, "check": 2}), (False, {"record": 5, "redraw": 2, "check": 2})],
)
def test_in_ten_seconds_a_window_that_nobody_sees_does_half_or_less(
    qtbot: QtBot, is_seen: bool, expected: dict[str, int]
) -> None:
    timer = RefreshTimer(lambda: is_seen)
    told = Counter[str]()
    timer.record_due.connect(lambda: told.update(["record"]))
    timer.redraw_due.connect(lambda: told.update(["redraw"]))
    timer.check_due.connect(lambda: told.update(["check"]))
    for _ in range(10):
        timer._timer.timeout.emit()
    assert told == expected
