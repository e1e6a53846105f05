"""The director of an order without any worker: what it makes of consents, of memory, and of what a session tells."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from core.client.reducer import reduce
from core.client.session import Session
from core.errors import ErrorKind
from core.files.folders import Folders
from core.hardware.device import Device
from core.protocol.client_events import (
    ClientEvent,
    EarlierRunReopened,
    Pause,
    PauseAsked,
    RunContinued,
    RunSwitch,
    WorkerExited,
)
from core.protocol.events import Failed, Restarting, RunFound
from core.records.consents import Consents
from core.records.settings import Settings
from core.run.address import JoinAddress
from core.run_order.director import Computer, OrderDirector
from core.run_order.order import OrderedRun, RunOrder, RunOrderFile, ordered_run
from core.run_order.probe import RunProbe
from tests.support.cli_process import ADDRESS
from tests.support.peers import fake_worker

ANNA = "12D3KooWanna"
GIB = 2**30


def run(run_id: str, memory_mib: int = 0) -> RunFound:
    """A run that asks for so much ordinary memory."""
    manifest = fake_worker.manifest(run_id)
    needs = msgspec.structs.replace(manifest.requirements, memory_mib=memory_mib)
    return RunFound(manifest=msgspec.structs.replace(manifest, requirements=needs), organiser=ANNA, vouched=True)


def order_of(*runs: RunFound) -> RunOrder:
    """These runs, all at one address."""
    return RunOrder(runs=tuple(ordered_run(each, JoinAddress.parse(ADDRESS), "cpu") for each in runs))


def computer_of(folder: Path, *agreed: RunFound) -> Computer:
    """A computer where some runs are agreed to, and 4 GiB of 8 are free."""
    folders = Folders.below(folder)
    consents = Consents(folders.contents.consents_file)
    for each in agreed:
        consents.remember(each, 0.0)
    cpu = Device("cpu", 0, None, "a CPU", 8 * GIB, 4 * GIB)
    return Computer(folders, consents, lambda: Settings(device="cpu"), lambda: (cpu,))


def director(folder: Path, order: RunOrder, *agreed: RunFound) -> OrderDirector:
    """The director of that order on such a computer, where no run is looked at."""
    computer = computer_of(folder, *agreed)

    def no_event(_event: ClientEvent) -> None:
        raise AssertionError("no worker is started here")

    return OrderDirector(computer, RunProbe(computer.folders, computer.consents, no_event, ["/nonexistent"]), order)


def begun(event: object) -> RunContinued:
    """The event by which a run begins."""
    assert isinstance(event, RunContinued)
    return event


def test_a_run_that_needs_more_memory_than_there_is_at_all_is_passed_and_the_reason_kept(tmp_path: Path) -> None:
    big, small = run("big", memory_mib=9 * 1024), run("small", memory_mib=6 * 1024)
    here = director(tmp_path, order_of(big, small), big, small)
    event = begun(here.look(Session()))
    assert event.consent.run_id == "small", "it fits once others give their memory back"
    assert event.switch is not None and (event.switch.before, event.switch.reason) == ("Sums", "unfit")


def test_a_run_that_was_never_agreed_to_is_passed(tmp_path: Path) -> None:
    here = director(tmp_path, order_of(run("one"), run("two")), run("two"))
    event = begun(here.look(Session()))
    assert (event.consent.run_id, here.names_of("changed")) == ("two", ("Sums",))


def test_nothing_is_decided_while_the_person_has_paused_the_run(tmp_path: Path) -> None:
    here = director(tmp_path, order_of(run("one"), run("two")), run("one"), run("two"))
    session = reduce(Session(), begun(here.look(Session())))
    paused = reduce(session, PauseAsked(Pause()))
    failed = reduce(paused, Failed(problem=ErrorKind.NOBODY_ANSWERS.key))
    assert here.look(failed) is None


def test_when_every_run_is_finished_the_order_is_done(tmp_path: Path) -> None:
    one, two = run("one"), run("two")
    here = director(tmp_path, order_of(one, two), one, two)
    first = begun(here.look(Session()))
    second = begun(here.look(closed(first)))
    assert (first.consent.run_id, second.consent.run_id) == ("one", "two")
    assert second.switch is not None and second.switch.reason == "finished"
    assert here.look(closed(second)) is None
    assert here.is_done


class OpenRuns(RunProbe):
    """Finds each run open that it is to look at, and ``looks`` is when that was."""

    def __init__(self, computer: Computer, clock: Callable[[], float]) -> None:
        super().__init__(computer.folders, computer.consents, lambda _event: None, ["/nonexistent"])
        self.looks: list[float] = []
        self._now = clock

    def look(self, ordered: OrderedRun) -> None:
        self.looks.append(self._now())
        self.found = ordered.key, None


def told_by(here: OrderDirector, minutes: Iterator[int]) -> dict[int, RunContinued | EarlierRunReopened]:
    """What is to be posted, minute by minute, where the first run is lost at once and the second one goes well."""
    session, told = Session(), dict[int, RunContinued | EarlierRunReopened]()
    for minute in minutes:
        if event := here.look(session):
            told[minute] = event
        if isinstance(event, RunContinued):
            session = reduce(Session(), event)
            lost = Restarting(attempt=1, seconds=5.0, problem=ErrorKind.NOBODY_ANSWERS.key)
            is_first = event.consent.run_id == "one"
            changes = {"restarting": lost} if is_first else {"phase": "training", "progress": fake_worker.progress(1)}
            session = replace(session, **changes)
    return told


@pytest.mark.skipif(sys.platform != "linux", reason="the clocks are Linux's")
def test_a_change_that_was_due_while_the_computer_slept_is_made_when_it_wakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = run("one"), run("two")
    awake, asleep = [0.0], [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: awake[0])
    monkeypatch.setattr(time, "clock_gettime", lambda clock: {time.CLOCK_BOOTTIME: awake[0] + asleep[0]}[clock])
    computer = computer_of(tmp_path, one, two)
    probe, order = OpenRuns(computer, lambda: awake[0]), order_of(one, two)
    here = OrderDirector(computer, probe, msgspec.structs.replace(order, return_after_minutes=90))

    def around_a_sleep() -> Iterator[int]:
        for minute in range(18):
            awake[0], asleep[0] = 60.0 * minute, 7200.0 if minute >= 17 else 0.0
            yield minute

    told = told_by(here, around_a_sleep())
    assert list(told) == [0, 4, 15, 17]
    assert begun(told[17]).consent.run_id == "one"


@pytest.mark.parametrize("jump_hours", [0.0, 2.0, -2.0])
def test_a_clock_that_is_set_neither_hurries_nor_delays_a_change(tmp_path: Path, jump_hours: float) -> None:
    one, two = run("one"), run("two")
    minutes, jump_seconds = [0], [0.0]
    computer = computer_of(tmp_path, one, two)
    probe = OpenRuns(computer, lambda: minutes[0])
    here = OrderDirector(
        computer,
        probe,
        msgspec.structs.replace(order_of(one, two), return_after_minutes=90),
        clock=lambda: 60.0 * minutes[0],
        wall_clock=lambda: 1.8e9 + 60.0 * minutes[0] + jump_seconds[0],
    )

    def until_it_changes() -> Iterator[int]:
        for minutes[0] in range(106):
            jump_seconds[0] = 3600 * jump_hours if minutes[0] >= 2 else 0.0
            yield minutes[0]

    told = told_by(here, until_it_changes())
    assert list(told) == [0, 4, 15, 105] and probe.looks == [*range(14, 105, 11)]
    left_at = 1.8e9 + 60 * 4 + jump_seconds[0]
    assert begun(told[4]).switch == RunSwitch(to="Sums", before="Sums", reason="unreachable", at=left_at)
    assert told[15] == EarlierRunReopened("Sums", 1.8e9 + 60 * 105 + jump_seconds[0])


def closed(event: RunContinued) -> Session:
    """The session of a run that its organiser has finished since it began."""
    manifest = event.agreed.manifest
    info = msgspec.structs.replace(manifest.run, state="finished")
    found = msgspec.structs.replace(event.agreed, manifest=msgspec.structs.replace(manifest, run=info))
    failed = Failed(problem=ErrorKind.RUN_NOT_OPEN.key)
    session = Session()
    for each in (event, found, failed, WorkerExited(0)):
        session = reduce(session, each)
    return session


def test_the_order_is_kept_and_a_run_is_moved_and_struck_out(tmp_path: Path) -> None:
    order = order_of(run("one"), run("two"), run("three"))
    moved = order.moved(("three", ANNA), -5).without(("two", ANNA)).moved(("unknown", ANNA), 1)
    RunOrderFile(tmp_path / "order.json").keep(moved)
    again = RunOrderFile(tmp_path / "order.json").order
    assert again == moved and [key[0] for key in again.keys] == ["three", "one"]
    (tmp_path / "order.json").write_text('{"runs": [{"name": 3}]}')
    assert RunOrderFile(tmp_path / "order.json").order == RunOrder(), "a damaged file counts as none"
