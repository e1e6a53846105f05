"""The traffic of a day is that of all workers, and begins anew at midnight."""

from __future__ import annotations

from datetime import date

from core.client.daily_traffic import DailyTraffic
from core.protocol.events import Progress
from tests.app.support.training_sample import progress

TODAY, TOMORROW = date(2026, 11, 25), date(2026, 11, 26)


def counted(sent: int, received: int) -> Progress:
    """A report of a worker that has sent and received so much."""
    return progress(sent_bytes=sent, received_bytes=received)


def test_the_bytes_of_all_workers_of_a_day_are_added() -> None:
    traffic = DailyTraffic()
    for report in (None, counted(10, 100), counted(10, 100), counted(30, 150), None, counted(5, 7)):
        traffic = traffic.after(report, TODAY)
    assert traffic.fields == {"sent_today": 35, "received_today": 157}


def test_at_midnight_it_begins_anew_but_a_worker_goes_on_counting() -> None:
    traffic = DailyTraffic().after(counted(30, 150), TODAY).after(counted(31, 152), TOMORROW)
    assert (traffic.sent, traffic.received) == (1, 2)
    assert traffic.after(None, date(2026, 11, 27)).sent == 0
