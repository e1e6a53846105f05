"""What has been given is counted once, through every restart of a worker, of the program and of the run."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import reduce
from pathlib import Path

import msgspec
import pytest

from core.client import reducer
from core.client.session import Session
from core.hardware.device import Device
from core.protocol.client_events import (
    Asked,
    ClientEvent,
    Pause,
    PauseAsked,
    RestartDue,
    ResumeAsked,
    WorkerExited,
)
from core.protocol.commands import Join, Leave, Start
from core.protocol.events import Left, Restarting, RunFound, TrainingStarted
from core.records.contributions import Contribution, ContributionLog
from core.records.store import HistoryStore, run_key
from core.run.steering.control_value import Order
from tests.support.checkout import ROOT
from tests.support.consents import NO_DIGEST, consent_to
from tests.support.peers.fake_worker import ORGANISER, RUN_ID, manifest, progress
from tests.support.peers.sample_addresses import NOWHERE, PEER_ID

NOW = 1_800_000_000.0
FOUND = RunFound(manifest=manifest(), organiser=ORGANISER, vouched=True)
KEY = run_key(RUN_ID, ORGANISER)
START = Asked(consent_to(FOUND, device="cuda:0", threads=None))
STARTED = TrainingStarted(device="cuda:0", epoch=7, parameters=1000)
GPU = Device("cuda", 0, "GPU-aaaa", power_watts=200.0)
CPU = Device("cpu")
CRASH: tuple[ClientEvent, ...] = (WorkerExited(-11), Restarting(attempt=1, seconds=2.0), RestartDue())


def join() -> Asked:
    """Another session begins."""
    return Asked(Join(addresses=(NOWHERE,), home="/nowhere"))


def computed(samples: int, epoch: int = 7) -> ClientEvent:
    """All that this worker has computed so far."""
    return progress(samples, epoch)


class Volunteer:
    """A program that notes its session after every event, a second apart."""

    def __init__(self, book: ContributionLog, devices: tuple[Device, ...] = (CPU,)) -> None:
        self.session = Session()
        self.at = NOW
        self.book = book
        self.devices = devices

    def sees(self, *events: ClientEvent, seconds: float = 1.0) -> None:
        """The events, and a note after each."""
        for event in events:
            self.session = reducer.reduce(self.session, event)
            self.notes(seconds)

    def notes(self, seconds: float = 1.0) -> None:
        """Time passes."""
        self.at += seconds
        self.book.record(self.session, self.devices, self.at)

    def trains(self) -> None:
        """From the address to the first micro-batch."""
        self.sees(join(), FOUND, START)
        self.book.start_run(KEY, "A run")
        self.sees(STARTED)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[HistoryStore]:
    store, aside = HistoryStore.open(path)
    assert aside is None
    yield store
    store.close()


@pytest.fixture
def volunteer(store: HistoryStore) -> Volunteer:
    return Volunteer(ContributionLog(store))


def kept(path: Path) -> Contribution:
    """What a program that starts now knows of all runs."""
    store, _ = HistoryStore.open(path)
    total = ContributionLog(store).total()
    store.close()
    return total


def test_nobody_has_given_anything_yet(volunteer: Volunteer) -> None:
    assert volunteer.book.total() == volunteer.book.of("run") == Contribution(0, 0, 0.0, None)


def test_samples_seconds_and_epochs_add_up(volunteer: Volunteer) -> None:
    volunteer.trains()
    volunteer.sees(computed(32), computed(64), computed(96, epoch=8), computed(96, epoch=9))
    assert volunteer.book.of(KEY) == Contribution(samples=96, epochs=2, seconds=3.0, joules=None)


def test_two_gpus_in_one_run_give_both_their_samples_and_hours_and_its_epochs_once(store: HistoryStore) -> None:
    first, second = Volunteer(ContributionLog(store)), Volunteer(ContributionLog(store))
    for each in (first, second):
        each.trains()
    for report in (computed(32), computed(64, epoch=8)):
        first.sees(report)
        second.session, second.at = reducer.reduce(second.session, report), second.at + 1.0
        second.book.record(second.session, second.devices, second.at, counts_epochs=False)
    assert first.book.of(KEY) == Contribution(samples=128, epochs=1, seconds=2.0, joules=None)


def test_a_note_that_brings_nothing_new_adds_only_time(volunteer: Volunteer) -> None:
    volunteer.trains()
    volunteer.sees(computed(32))
    for _ in range(10):
        volunteer.notes()
    assert volunteer.book.of(KEY) == Contribution(samples=32, epochs=0, seconds=10.0, joules=None)


def test_a_worker_that_was_restarted_goes_on_where_it_was(volunteer: Volunteer) -> None:
    volunteer.trains()
    volunteer.sees(computed(100), *CRASH, FOUND, START, STARTED, computed(1), computed(50))
    assert volunteer.session.contributed_samples == 150
    assert volunteer.book.of(KEY).samples == 150


def test_another_session_counts_from_zero(volunteer: Volunteer) -> None:
    for samples in (100, 40, 100, 500):
        volunteer.trains()
        volunteer.sees(computed(samples), Asked(Leave()), Left(contributed_samples=samples), WorkerExited(0))
    assert volunteer.book.of(KEY).samples == 740


def test_another_session_that_is_only_noted_once_it_has_done_more_still_counts_whole(
    volunteer: Volunteer,
) -> None:
    volunteer.trains()
    volunteer.sees(computed(100))
    volunteer.session = reduce(reducer.reduce, (join(), FOUND, START, STARTED, computed(300)), volunteer.session)
    volunteer.notes()
    assert volunteer.book.of(KEY).samples == 400


def test_a_session_that_goes_on_after_a_pause_with_another_command_is_not_counted_again(
    volunteer: Volunteer,
) -> None:
    volunteer.trains()
    volunteer.sees(computed(100), WorkerExited(0))
    resumed = msgspec.structs.replace(join().command, run_id=RUN_ID)
    assert isinstance(resumed, Join)
    volunteer.session = replace(volunteer.session, opening=resumed, phase="connecting", progress=None)
    volunteer.notes()
    volunteer.sees(FOUND, START, STARTED, computed(20))
    assert volunteer.book.of(KEY).samples == 120


def test_a_pause_gives_nothing_and_takes_nothing(volunteer: Volunteer) -> None:
    volunteer.devices = (GPU, CPU)
    volunteer.trains()
    volunteer.sees(computed(10), computed(100), PauseAsked(Pause()))
    volunteer.sees(Left(contributed_samples=120), WorkerExited(0))
    assert volunteer.session.phase == "paused"
    for _ in range(30):
        volunteer.notes()
    assert volunteer.book.of(KEY) == Contribution(samples=120, epochs=0, seconds=1.0, joules=200.0)
    volunteer.sees(ResumeAsked(), FOUND, START, STARTED, computed(5, epoch=30), computed(30, epoch=31))
    assert volunteer.book.of(KEY) == Contribution(samples=150, epochs=1, seconds=2.0, joules=400.0)


def test_a_pause_by_the_organiser_gives_no_hours_and_draws_nothing(volunteer: Volunteer) -> None:
    volunteer.devices = (GPU, CPU)
    volunteer.trains()
    volunteer.sees(computed(10), computed(100))
    volunteer.sees(msgspec.structs.replace(FOUND, order=Order(state="paused")))
    assert volunteer.session.phase == "training"
    for _ in range(30):
        volunteer.notes()
    volunteer.sees(FOUND, computed(110), computed(120, epoch=8))
    assert volunteer.book.of(KEY) == Contribution(samples=120, epochs=1, seconds=3.0, joules=600.0)


def test_what_the_last_words_add_is_counted(volunteer: Volunteer) -> None:
    volunteer.trains()
    volunteer.sees(computed(100), Asked(Leave()), Left(contributed_samples=130), WorkerExited(0))
    assert volunteer.book.of(KEY) == Contribution(samples=130, epochs=0, seconds=0.0, joules=None)


def test_epochs_that_passed_while_we_were_away_are_not_ours(volunteer: Volunteer) -> None:
    volunteer.trains()
    volunteer.sees(computed(10, epoch=7), computed(20, epoch=8))
    volunteer.sees(*CRASH, FOUND, START, STARTED, computed(10, epoch=60), computed(20, epoch=61))
    assert volunteer.book.of(KEY).epochs == 2


def test_energy_is_power_times_time_where_it_is_told(volunteer: Volunteer) -> None:
    volunteer.devices = (GPU, CPU)
    volunteer.trains()
    volunteer.sees(computed(1), computed(2), computed(3))
    volunteer.devices = (replace(GPU, power_watts=None), CPU)
    volunteer.sees(computed(4))
    assert volunteer.book.of(KEY) == Contribution(samples=4, epochs=0, seconds=3.0, joules=400.0)
    assert volunteer.book.total().joules == 400.0


@pytest.mark.parametrize("jump", [-86_400.0, 86_400.0])
def test_a_clock_that_jumps_gives_no_time_and_loses_no_samples(volunteer: Volunteer, jump: float) -> None:
    volunteer.devices = (GPU, CPU)
    volunteer.trains()
    volunteer.sees(computed(10), computed(20))
    volunteer.sees(computed(30), seconds=jump)
    volunteer.sees(computed(40))
    assert volunteer.book.of(KEY) == Contribution(samples=40, epochs=0, seconds=2.0, joules=400.0)


def test_a_worker_that_boasts_beyond_all_numbers_does_not_keep_the_rest_from_being_saved(
    volunteer: Volunteer, store: HistoryStore, path: Path
) -> None:
    volunteer.trains()
    volunteer.sees(computed(1), computed(10**30, epoch=10**30))
    assert store.save()
    assert kept(path) == volunteer.book.total()


def test_runs_are_counted_apart_and_together(volunteer: Volunteer) -> None:
    volunteer.trains()
    volunteer.sees(computed(100))
    other = Asked(Start(run_id="other", organiser=ORGANISER, digest=NO_DIGEST, device="cpu"))
    volunteer.sees(join(), FOUND, other)
    other_key = run_key("other", ORGANISER)
    volunteer.book.start_run(other_key, "Another run")
    volunteer.sees(STARTED, computed(7))
    assert (volunteer.book.of(KEY).samples, volunteer.book.of(other_key).samples) == (100, 7)
    assert volunteer.book.total().samples == 107


def test_runs_of_one_name_by_two_organisers_are_counted_apart(volunteer: Volunteer) -> None:
    volunteer.trains()
    volunteer.sees(computed(100))
    elsewhere = RunFound(manifest=manifest(), organiser=PEER_ID, vouched=True)
    volunteer.sees(Left(), WorkerExited(0), join(), elsewhere)
    volunteer.sees(Asked(consent_to(elsewhere)), STARTED, computed(7))
    assert volunteer.book.of(KEY).samples == 100
    assert volunteer.book.of(run_key(RUN_ID, PEER_ID)).samples == 7
    assert volunteer.book.total().samples == 107


VERSION_1 = f"""
CREATE TABLE curves (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, series TEXT NOT NULL, began REAL NOT NULL,
    UNIQUE (run_id, series));
CREATE TABLE columns (curve INTEGER NOT NULL, step INTEGER NOT NULL, slot INTEGER NOT NULL,
    bucket INTEGER NOT NULL, low REAL NOT NULL, high REAL NOT NULL, PRIMARY KEY (curve, step, slot)) WITHOUT ROWID;
CREATE TABLE deeds (run_id TEXT PRIMARY KEY, name TEXT NOT NULL, samples INTEGER NOT NULL, epochs INTEGER NOT NULL,
    seconds REAL NOT NULL, joules REAL) WITHOUT ROWID;
INSERT INTO deeds VALUES ('{RUN_ID}', 'A run', 40, 2, 3.0, NULL), ('from-a-file', 'Another', 7, 1, 1.0, NULL);
INSERT INTO curves VALUES (1, '{RUN_ID}', 'loss', {NOW});
INSERT INTO columns VALUES (1, 1, 0, {NOW:.0f}, 2.5, 2.5);
PRAGMA user_version = 1;
"""


def test_a_history_of_before_organisers_were_told_apart_is_kept_whole(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1)
    for _ in range(2):
        store, aside = HistoryStore.open(path, {RUN_ID: ORGANISER, "never-seen": ORGANISER})
        book = ContributionLog(store)
        assert aside is None
        assert book.of(KEY) == Contribution(40, 2, 3.0, None)
        assert book.of("from-a-file").samples == 7 and book.total().samples == 47
        assert store.began(KEY) == NOW and store.began(RUN_ID) is None
        assert store.columns(KEY, "loss", 1) == [(int(NOW), 2.5, 2.5)]
        store.close()


def test_a_run_that_was_not_begun_is_known_from_the_session(volunteer: Volunteer) -> None:
    volunteer.sees(join(), FOUND, START, STARTED, computed(7))
    assert volunteer.book.of(KEY).samples == 7


def test_deeds_survive_a_restart_and_are_added_to(path: Path) -> None:
    for expected in (10, 20, 30):
        store, _ = HistoryStore.open(path)
        volunteer = Volunteer(ContributionLog(store), (GPU, CPU))
        volunteer.trains()
        volunteer.sees(computed(5), computed(10))
        assert volunteer.book.total().samples == expected
        store.close()
        assert kept(path).samples == expected
    assert kept(path) == Contribution(samples=30, epochs=0, seconds=3.0, joules=600.0)


_GIVE_AND_WAIT = """
import sys
from pathlib import Path
from tests.core.records.test_contributions import HistoryStore, ContributionLog, Volunteer, computed
store, _ = HistoryStore.open(Path(sys.argv[1]))
volunteer = Volunteer(ContributionLog(store))
volunteer.trains()
volunteer.sees(computed(64))
assert store.save()
print("given", flush=True)
sys.stdin.read()
"""


def test_deeds_survive_a_kill(path: Path) -> None:
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-c", _GIVE_AND_WAIT, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"given\n"
            os.kill(process.pid, signal.SIGKILL)
    assert kept(path).samples == 128


def test_what_could_not_be_saved_is_counted_once_when_it_can(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.touch()
    store, _ = HistoryStore.open(folder / "history.sqlite")
    volunteer = Volunteer(ContributionLog(store))
    volunteer.trains()
    volunteer.sees(computed(10), computed(20))
    assert not store.save()
    assert store.trouble is not None
    folder.unlink()
    assert store.save()
    volunteer.sees(computed(30))
    assert volunteer.book.total().samples == 30
    store.close()
    assert kept(folder / "history.sqlite").samples == 30
