"""The last days' pauses are remembered, whatever happens to the process or its file."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.availability.decision import Decision, Reason, RuleName
from core.availability.pacing import Pace
from core.protocol.client_events import Pause
from core.records.pauses import LONGEST_GAP_SECONDS, MOST_BYTES, Interval, PauseLog
from tests.support.hypothesis_profile import damaged

START = datetime(2026, 11, 25, 14, 2, tzinfo=ZoneInfo("Europe/Berlin"))
FREE = Decision()
GAME = Decision((Reason("game", "tuxkart"), Reason("idle")))
GPU = Decision((Reason("gpu", "blender"),))
OVER = Decision((Reason("game", "tuxkart", is_over=True), Reason("idle")))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "pauses.jsonl"


def at(minutes: float) -> datetime:
    """So long after the start."""
    return START + timedelta(minutes=minutes)


def interval(
    began: float, ended: float | None, rule: RuleName | None = None, subject: str = "", device: str = "cuda:0"
) -> Interval:
    return Interval(at(began), None if ended is None else at(ended), rule, subject, device)


def write(log: PauseLog, decision: Decision, first: int, last: int, device: str = "cuda:0") -> None:
    """As a client that looks once a minute."""
    for minute in range(first, last):
        log.note(decision, at(minute), device)


def test_a_pause_is_one_interval_however_often_it_is_noted(path: Path) -> None:
    log = PauseLog(path)
    write(log, FREE, 0, 20)
    write(log, GAME, 20, 70)
    write(log, OVER, 70, 75)
    write(log, FREE, 75, 90)
    expected = (interval(0, 20), interval(20, 75, "game", "tuxkart"), interval(75, None))
    assert log.intervals(7, at(91)) == expected
    assert PauseLog(path).intervals(7, at(91)) == expected
    assert path.stat().st_mode & 0o077 == 0


def test_an_orderly_end_ends_the_interval(path: Path) -> None:
    log = PauseLog(path)
    write(log, FREE, 0, 20)
    log.end(at(20))
    log.end(at(21))
    assert PauseLog(path).intervals(7, at(22)) == (interval(0, 20),)


def test_who_was_killed_has_said_until_when_to_five_minutes(path: Path) -> None:
    write(PauseLog(path), GAME, 0, 34)
    again = PauseLog(path)
    write(again, FREE, 600, 603)
    assert again.intervals(7, at(603)) == (interval(0, 30, "game", "tuxkart"), interval(600, None))


def test_two_devices_that_train_side_by_side_have_their_own_pauses_in_one_file(path: Path) -> None:
    first, second = PauseLog(path), PauseLog(path)
    for minute in range(30):
        first.note(FREE, at(minute), "cuda:0")
        second.note(GPU if minute >= 10 else FREE, at(minute), "cuda:1")
    second.end(at(30))
    assert first.intervals(7, at(31)) == (
        interval(0, None),
        interval(0, 10, device="cuda:1"),
        interval(10, 30, "gpu", "blender", "cuda:1"),
    )


def test_a_run_on_another_device_ends_what_was_said_of_the_first_and_without_a_run_nothing_is_said(path: Path) -> None:
    log = PauseLog(path)
    write(log, GAME, 0, 20)
    write(log, GAME, 20, 40, "cpu")
    log.note(GAME, at(40), None)
    log.note(GAME, at(41), None)
    assert log.intervals(7, at(42)) == (
        interval(0, 20, "game", "tuxkart"),
        interval(20, 40, "game", "tuxkart", "cpu"),
    )


def test_what_an_older_version_wrote_names_no_device(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(
        b'\n{"at":%.1f,"state":"free"}\n{"at":%.1f,"state":"off"}' % (START.timestamp(), at(5).timestamp())
    )
    assert PauseLog(path).intervals(7, at(60)) == (interval(0, 5, device=""),)


def test_a_pause_of_the_person_is_theirs_whatever_the_rules_say_meanwhile(path: Path) -> None:
    log = PauseLog(path)
    own = Pause("person")
    for minute, (decision, pause) in enumerate(
        [(FREE, None), (FREE, own), (GAME, own), (FREE, own), (FREE, Pause("epoch_finished")), (GAME, Pause("rule"))]
    ):
        log.note(decision, at(10 * minute), "cuda:0", pause)
    assert log.intervals(7, at(51)) == (
        interval(0, 10),
        replace(interval(10, 40), pause="person"),
        replace(interval(40, 50), pause="epoch_finished"),
        interval(50, None, "game", "tuxkart"),
    )


def test_a_sleep_lasts_until_the_computer_is_awake_again_however_long_nobody_looked(path: Path) -> None:
    log = PauseLog(path)
    write(log, FREE, 0, 20)
    log.note(FREE, at(20), "cuda:0", Pause("sleep"))
    write(log, FREE, 620, 630)
    log.end(at(630))
    asleep = replace(interval(20, 620), pause="sleep")
    assert PauseLog(path).intervals(7, at(631)) == (interval(0, 20), asleep, interval(620, 630))


def test_a_slow_down_is_one_interval_while_its_cause_is_the_same_and_tells_how_slow_it_was(path: Path) -> None:
    log = PauseLog(path)
    write(log, FREE, 0, 10)
    for second in range(0, 3600, 2):
        share = 0.6 if second == 100 else 0.8 if second % 4 else 0.7
        log.note(FREE, at(10 + second / 60), "cuda:0", None, Pace(share, cause="heat", measured=80 + second % 4))
    log.note(FREE, at(70), "cuda:0", None, Pace(0.5, cause="presence"))
    log.note(FREE, at(71), "cuda:0", None, Pace(0.55, cause="heat", is_measured=False))
    log.note(FREE, at(72), "cuda:0")
    assert PauseLog(path).intervals(7, at(73)) == (
        interval(0, 10),
        replace(interval(10, 70), pace=Pace(0.6, cause="heat", measured=80.0)),
        replace(interval(70, 71), pace=Pace(0.5, cause="presence", is_measured=False)),
        replace(interval(71, 72), pace=Pace(0.55, cause="heat", is_measured=False)),
        interval(72, None),
    )
    assert len(path.read_bytes().splitlines()) < 30, "it is not flooded"


def test_who_is_killed_while_it_is_slowed_has_said_how_slow_to_five_minutes(path: Path) -> None:
    log = PauseLog(path)
    for minute, share in enumerate((0.9, 0.5, 0.8, 0.8, 0.8, 0.8, 0.4)):
        log.note(FREE, at(minute), "cuda:0", None, Pace(share, cause="power", measured=200))
    killed = replace(interval(0, 5), pace=Pace(0.5, cause="power", measured=200.0))
    assert PauseLog(path).intervals(7, at(60)) == (killed,)


def test_only_the_last_days_are_given(path: Path) -> None:
    log = PauseLog(path)
    write(log, FREE, 0, 20)
    write(log, GAME, 20, 40)
    assert log.intervals(15 / 1440, at(40)) == (interval(25, None, "game", "tuxkart"),)
    assert log.intervals(1, at(3000)) == ()


def test_a_clock_that_is_set_back_begins_anew(path: Path) -> None:
    log = PauseLog(path)
    write(log, FREE, 0, 20)
    write(log, GAME, 5, 10)
    assert log.intervals(7, at(10)) == (interval(0, 15), interval(5, None, "game", "tuxkart"))


def test_the_file_is_bounded_and_keeps_what_is_new(path: Path) -> None:
    log = PauseLog(path)
    for minute in range(5000):
        log.note(GAME if minute % 2 else FREE, at(minute), "cuda:0")
    assert path.stat().st_size <= MOST_BYTES
    assert log.intervals(1, at(5000))[-1] == interval(4999, None, "game", "tuxkart")
    assert len(log.intervals(100, at(5000))) > 1000


def test_a_torn_line_costs_only_itself(path: Path) -> None:
    log = PauseLog(path)
    write(log, FREE, 0, 20)
    with path.open("ab") as file:
        file.write(b'\n{"at":17')
    write(log, GAME, 20, 21)
    assert log.intervals(7, at(21)) == (interval(0, 20), interval(20, None, "game", "tuxkart"))


GOOD = b'\n{"at":1795611720.0,"state":"free"}\n{"at":1795611780.0,"state":"game","subject":"tuxkart"}'
GOOD += b'\n{"at":1795611790.0,"state":"slowed","subject":"heat","share":0.6,"measured":83.0}'


@given(damaged(GOOD) | st.binary())
def test_a_damaged_file_is_read_as_far_as_it_can_be(tmp_path_factory: pytest.TempPathFactory, encoded: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.jsonl"
    path.write_bytes(encoded)
    now = datetime.fromtimestamp(1795611780 + LONGEST_GAP_SECONDS, START.tzinfo)
    for found in PauseLog(path).intervals(1e6, now):
        assert found.ended is None or found.ended > found.began


def test_a_disk_that_refuses_is_no_accident(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    log = PauseLog(tmp_path / "data" / "pauses.jsonl")
    log.note(GAME, START, "cuda:0")
    assert log.intervals(7, START) == ()
