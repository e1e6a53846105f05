"""What was given is kept by day, with its bytes, its energy and its run's own count; nothing of before gets lost."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import msgspec
import pytest

from core.files.folders import Folders
from core.protocol.client_events import Asked, WorkerExited
from core.protocol.commands import Leave
from core.protocol.events import Progress
from core.protocol.limits import Traffic
from core.records.contribution_tables import contributions_in_damaged, contributions_in_file
from core.records.contribution_totals import BEFORE_DAYS, ContributionDelta
from core.records.contributions import Contribution, ContributionLog
from core.records.erase import erase_user_data
from core.records.store import HistoryStore, run_key
from tests.core.records.test_contributions import (
    CPU,
    CRASH,
    FOUND,
    GPU,
    KEY,
    START,
    STARTED,
    VERSION_1,
    Volunteer,
    join,
)
from tests.support.consents import consent_to
from tests.support.peers.fake_worker import ORGANISER, RUN_ID, progress

VERSION_2 = VERSION_1.replace("user_version = 1", "user_version = 2")
DAY = date(2026, 11, 25)
NOON = datetime(2026, 11, 25, 12).timestamp()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite"


def sent(samples: int, sent_bytes: int, received_bytes: int = 0, epoch: int = 8) -> Progress:
    """A report that counts bytes, too."""
    return msgspec.structs.replace(progress(samples, epoch), sent_bytes=sent_bytes, received_bytes=received_bytes)


def opened(path: Path) -> tuple[HistoryStore, Volunteer]:
    store, aside = HistoryStore.open(path)
    assert aside is None
    volunteer = Volunteer(ContributionLog(store))
    volunteer.at = NOON
    return store, volunteer


def test_each_day_has_its_own_sums_in_the_owners_time(path: Path) -> None:
    store, volunteer = opened(path)
    volunteer.trains()
    volunteer.sees(sent(10, 1000, 500), sent(30, 1500, 700))
    volunteer.at = NOON + 86_400
    volunteer.sees(sent(35, 1600, 700))
    store.close()
    kept = contributions_in_file(path)
    first, second = kept[KEY, DAY.isoformat()], kept[KEY, "2026-11-26"]
    assert (first.samples, first.sent_bytes, first.received_bytes, first.name) == (30, 1500, 700, "A run")
    assert (second.samples, second.sent_bytes, second.received_bytes) == (5, 100, 0)
    assert len(kept) == 2


def test_a_worker_that_was_restarted_counts_its_bytes_from_zero(path: Path) -> None:
    store, volunteer = opened(path)
    volunteer.trains()
    volunteer.sees(sent(10, 1000), *CRASH, FOUND, START, STARTED, sent(5, 300), sent(5, 400))
    assert sum(given.sent_bytes for given in store.contributions.by_day().values()) == 1400
    store.close()


def test_what_a_worker_has_loaded_that_ended_before_its_first_report_is_counted(path: Path) -> None:
    store, volunteer = opened(path)
    volunteer.sees(join(), FOUND, START, Traffic(sent_bytes=20, received_bytes=3000), *CRASH)
    volunteer.sees(FOUND, START, Traffic(sent_bytes=30, received_bytes=4000), STARTED, sent(5, 40, 4500), *CRASH)
    (given,) = store.contributions.by_day().values()
    assert (given.sent_bytes, given.received_bytes, given.samples) == (60, 7500, 5)
    store.close()


def test_another_run_has_the_bytes_of_its_own_session_alone(path: Path) -> None:
    store, volunteer = opened(path)
    volunteer.trains()
    volunteer.sees(sent(10, 1000), Asked(Leave()), Traffic(sent_bytes=1100), WorkerExited(0))
    elsewhere = msgspec.structs.replace(FOUND, organiser="another")
    volunteer.sees(join(), elsewhere, Asked(consent_to(elsewhere)), Traffic(sent_bytes=50), WorkerExited(0))
    given = {run: each.sent_bytes for (run, _day), each in store.contributions.by_day().items()}
    assert given == {KEY: 1100, run_key(RUN_ID, "another"): 50}
    store.close()


def test_epochs_that_end_meanwhile_add_what_all_peers_gave_to_them(path: Path) -> None:
    store, volunteer = opened(path)
    volunteer.trains()
    volunteer.sees(sent(10, 0, epoch=8), sent(200, 0, epoch=9), sent(300, 0, epoch=10))
    [given] = store.contributions.by_day().values()
    assert (given.samples, given.epochs, given.run_samples) == (300, 2, 2000)
    store.close()


def test_the_gpus_own_counter_tells_the_energy_and_its_power_where_that_begins_anew(path: Path) -> None:
    store, volunteer = opened(path)
    for joules in (5000.0, 5000.0, 5150.0, 20.0):
        volunteer.devices = (replace(GPU, energy_joules=joules), CPU)
        volunteer.trains() if joules == 5000.0 and not volunteer.session.progress else None
        volunteer.sees(sent(10, 0))
    volunteer.devices = (CPU,)
    volunteer.sees(sent(10, 0))
    [given] = store.contributions.by_day().values()
    assert given.joules == 150.0 + 200.0
    assert (given.seconds, given.unmeasured_seconds) == (4.0, 1.0)
    store.close()


def test_what_was_given_before_days_were_kept_stays_and_is_added_to(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_2)
    # a local file's run has no organiser, whatever organiser of that id is known by now
    store, aside = HistoryStore.open(path, {RUN_ID: ORGANISER})
    assert aside is None
    volunteer = Volunteer(ContributionLog(store))
    volunteer.at = NOON
    volunteer.book.start_run(RUN_ID, "A run")
    assert volunteer.book.of(RUN_ID) == Contribution(40, 2, 3.0, None)
    store.contributions.add(RUN_ID, ContributionDelta(samples=5, seconds=2.0, joules=10.0), "2026-11-25")
    store.close()
    kept = contributions_in_file(path)
    assert kept[RUN_ID, BEFORE_DAYS] == ContributionDelta("A run", 40, 2, 3.0, None, 3.0)
    assert kept[RUN_ID, "2026-11-25"] == ContributionDelta("A run", 5, 0, 2.0, 10.0)
    assert kept["from-a-file", BEFORE_DAYS].samples == 7
    store, _ = HistoryStore.open(path)
    assert ContributionLog(store).total() == Contribution(52, 3, 6.0, 10.0)
    assert store.columns(RUN_ID, "loss", 1) != []
    store.close()


def test_the_days_of_a_file_that_was_put_aside_are_in_the_new_one(path: Path) -> None:
    store, volunteer = opened(path)
    volunteer.trains()
    volunteer.sees(sent(30, 1500))
    store.close()
    before = contributions_in_file(path)
    assert contributions_in_damaged(path) == before
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE days SET samples = 'x'")
        connection.commit()
    assert contributions_in_file(path)[KEY, BEFORE_DAYS].samples == 30


def test_nothing_is_read_from_what_is_no_history(path: Path) -> None:
    assert contributions_in_file(path) == {}
    assert not path.exists()
    path.write_bytes(b"no database" * 100)
    assert contributions_in_file(path) == {}


def test_erasing_the_history_takes_the_days_along(tmp_path: Path) -> None:
    folders = Folders.below(tmp_path)
    store, _ = HistoryStore.open(folders.contents.history_file)
    store.contributions.add(run_key("sums", ORGANISER), ContributionDelta("Sums", 5), "2026-11-25")
    store.close()
    erase_user_data(folders, {"history"})
    assert contributions_in_file(folders.contents.history_file) == {}
    assert b"Sums" not in b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
