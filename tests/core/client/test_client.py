"""What a volunteer or an organiser does, up to the pipe: real processes, a fake engine."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import queue
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from core.client.client import Client
from core.client.restart_policy import RestartPolicy
from core.client.session import Session
from core.errors import ErrorKind
from core.files.folders import Folders
from core.files.logs import MAX_LOG_BYTES, worker_log
from core.protocol.client_events import ClientEvent, RestartDue, WorkerExited
from core.protocol.commands import Check, Join, Leave, Publish, Start
from core.protocol.events import Failed, Restarting
from core.run.address import JoinAddress
from tests.support.client_harness import ADDRESS, LIMIT_SECONDS, FrontEnd, Open, children
from tests.support.consents import consent_to
from tests.support.peers import fake_worker

UNHURRIED = RestartPolicy(delays_seconds=(3600.0,))


def ending(client: Client, events: queue.Queue[ClientEvent]) -> Session:
    """How a session ends that was begun."""
    while client.session.phase != "ended":
        client.handle(events.get(timeout=LIMIT_SECONDS))
    return client.session


def is_training_again(session: Session) -> bool:
    """A second worker has added to what the first one gave."""
    return session.contributed_samples > fake_worker.SAMPLES_A_LIFE


def test_a_volunteer_joins_agrees_trains_and_leaves(front_end: Open) -> None:
    front = front_end("good")
    chosen = front.train().chosen
    assert chosen is not None and chosen.organiser == fake_worker.ORGANISER
    front.client.leave()
    assert front.session.phase == "leaving"
    session = front.until_ended()
    assert session.problem is None
    assert session.contributed_samples == fake_worker.SAMPLES_A_LIFE
    join, start, leave = front.lives()[0]
    assert join == Join(addresses=ADDRESS.peers, home=str(front.folders.data))
    assert start == consent_to(chosen)
    assert leave == Leave()


def test_what_a_volunteer_knows_of_the_run_goes_with_the_address(front_end: Open) -> None:
    front = front_end("good")
    address = JoinAddress(peers=ADDRESS.peers, run_id="sums")
    front.client.join(address, network="client", port=31337, manifest=fake_worker.manifest())
    front.until(lambda session: session.is_search_finished)
    (join,) = front.lives()[0]
    assert isinstance(join, Join)
    assert (join.run_id, join.network, join.port) == ("sums", "client", 31337)
    assert join.manifest == fake_worker.manifest()


def test_an_organiser_publishes_and_trains(front_end: Open) -> None:
    front = front_end("good")
    front.client.publish(Publish(manifest=fake_worker.manifest(), home=str(front.folders.data)))
    session = front.until(lambda session: session.progress is not None)
    assert session.published is not None and session.published.link.startswith("workerbee://join?")
    front.client.leave()
    assert front.until_ended().problem is None


def test_the_engine_is_checked(front_end: Open) -> None:
    front = front_end("good")
    front.client.ask(Check())
    session = front.until_ended()
    assert session.engine is not None and session.engine.torch == "2.13.0"
    assert session.problem is None


def test_leave_is_said_once(front_end: Open) -> None:
    front = front_end("good")
    front.client.leave()
    assert front.session.phase == "idle"
    front.train()
    for _ in range(3):
        front.client.leave()
    front.until_ended()
    front.client.leave()
    assert front.lives()[0].count(Leave()) == 1


@pytest.mark.slow
def test_a_worker_that_does_not_leave_is_killed(front_end: Open) -> None:
    front = front_end("train_and_ignore_leave")
    front.client.start(front.search(), device="cpu")
    front.until(lambda session: session.phase == "training")
    begin = time.monotonic()
    front.client.leave()
    session = front.until_ended()
    assert 2.5 < time.monotonic() - begin < LIMIT_SECONDS / 2
    assert front.events[-1] == WorkerExited(-9)
    assert session.problem is None


@pytest.mark.slow
def test_closing_waits_until_the_worker_is_gone(front_end: Open) -> None:
    front = front_end("have_children")
    front.search()
    family = children(recursive=True)
    assert len(family) == 3
    front.client.close()
    _, alive = psutil.wait_procs(family, timeout=LIMIT_SECONDS)
    assert alive == []


def test_a_crashed_worker_is_started_again_and_goes_on_without_asking(front_end: Open) -> None:
    front = front_end("crash_in_training", "good")
    front.train()
    session = front.until(is_training_again)
    assert session.problem is None
    assert front.happened(Restarting) == [Restarting(attempt=1, seconds=0.01)]
    first, second = front.lives()
    assert second[0] == Join(addresses=ADDRESS.peers, home=str(front.folders.data), run_id=fake_worker.RUN_ID)
    assert second[1] == first[1]


@pytest.mark.parametrize("part", ["fail_unforeseen", "fail_to_load_state", "die_in_a_line", "crash_at_once"])
def test_whatever_another_attempt_may_mend_gets_one(front_end: Open, part: str) -> None:
    front = front_end("crash_in_training", part, "good")
    front.train()
    session = front.until(is_training_again)
    assert session.problem is None
    first, second = front.happened(Restarting)
    assert first == Restarting(attempt=1, seconds=0.01)
    assert isinstance(second, Restarting) and (second.attempt, second.seconds) == (2, 0.02)


def test_an_outage_may_pass_where_the_run_was_reached_before(front_end: Open) -> None:
    front = front_end("crash_in_training", "fail_for_good", "good")
    front.train()
    assert front.until(is_training_again).problem is None
    assert front.happened(Restarting)[-1] == Restarting(attempt=2, seconds=0.02, problem="nobody_answers")


def test_a_full_disk_is_waited_for_before_and_after_the_run_was_found(front_end: Open) -> None:
    front = front_end("fail_with_a_full_disk", "crash_in_training", "fail_with_a_full_disk", "good")
    front.client.join(ADDRESS, waits_for_room=True)
    front.client.start(front.until(lambda session: session.is_search_finished).runs[0], device="cpu")
    assert front.until(is_training_again).problem is None
    first, _, last = front.happened(Restarting)
    full = Restarting(attempt=1, seconds=0.01, problem="disk_full", detail="/data: No space left on device.")
    assert first == full and last == msgspec.structs.replace(full, attempt=2, seconds=0.02)


def test_who_has_waited_for_room_has_all_attempts_after_a_crash(front_end: Open) -> None:
    front = front_end(*["fail_with_a_full_disk"] * 5, "crash_in_training", "good")
    front.client.join(ADDRESS, waits_for_room=True)
    front.client.start(front.until(lambda session: session.is_search_finished).runs[0], device="cpu")
    assert front.until(is_training_again).problem is None
    assert [event.attempt for event in front.happened(Restarting) if isinstance(event, Restarting)] == [*range(1, 6), 1]


def test_an_invitation_is_kept_once_a_full_disk_has_room(small_disk: Path, fill_disk: Callable[[], None]) -> None:
    front = FrontEnd(small_disk, "good")
    front.folders.prepare()
    fill_disk()
    front.client.join(dataclasses.replace(ADDRESS, invitation="workerbee-invitation"), waits_for_room=True)
    front.until(lambda session: session.restarting is not None)
    (small_disk / "hog").unlink()
    front.until(lambda session: session.is_search_finished)
    assert "workerbee-invitation" in front.folders.contents.invitations_file.read_text("utf-8")
    front.client.leave()
    front.until_ended()


def test_a_search_begins_once_a_full_disk_has_room(small_disk: Path, fill_disk: Callable[[], None]) -> None:
    front = FrontEnd(small_disk, "good")
    front.folders.prepare()
    front.client.log_file.write_bytes(b"x" * (MAX_LOG_BYTES + 1))
    fill_disk()
    front.client.join(ADDRESS, waits_for_room=True)
    waiting = front.until(lambda session: session.restarting is not None).restarting
    assert waiting is not None and waiting.detail == f"{front.client.log_file}: No space left on device."
    (small_disk / "hog").unlink()
    assert front.until(lambda session: session.is_search_finished).problem is None
    front.client.leave()
    front.until_ended()


def test_who_waits_for_room_can_leave(small_disk: Path, fill_disk: Callable[[], None]) -> None:
    front = FrontEnd(small_disk, "good", restarts=UNHURRIED)
    front.folders.prepare()
    front.client.log_file.write_bytes(b"x" * (MAX_LOG_BYTES + 1))
    fill_disk()
    front.client.join(ADDRESS, waits_for_room=True)
    front.until(lambda session: session.restarting is not None)
    front.client.leave()
    assert (front.session.phase, front.session.problem) == ("ended", None)


def test_a_publishing_worker_is_started_again(front_end: Open) -> None:
    front = front_end("crash_in_training", "good")
    publish = Publish(manifest=fake_worker.manifest(), home=str(front.folders.data))
    front.client.publish(publish)
    front.until(is_training_again)
    assert front.lives() == [[publish], [publish]]


def test_a_worker_that_always_crashes_becomes_a_problem_that_names_the_log(front_end: Open) -> None:
    front = front_end("crash_at_once")
    front.client.join(ADDRESS)
    session = front.until_ended()
    assert session.problem == ErrorKind.WORKER_CRASHED
    assert str(session.problem_detail) == f"Its exit code was 3. The log is {front.client.log_file}."
    assert front.happened(Restarting) == [
        Restarting(attempt=attempt, seconds=attempt / 100, last_attempt=5) for attempt in (1, 2, 3, 4, 5)
    ]
    assert len(front.lives()) == 6
    assert isinstance(front.events[-1], Failed)


def test_what_the_worker_said_last_is_not_hidden_by_giving_up(front_end: Open) -> None:
    front = front_end("fail_to_load_state")
    front.client.join(ADDRESS)
    session = front.until_ended()
    assert session.problem == ErrorKind.STATE_NOT_LOADED
    assert str(session.problem_detail) == f"3 peers were tried. The log is {front.client.log_file}."


def test_good_running_earns_all_attempts_again(front_end: Open) -> None:
    patient = RestartPolicy(delays_seconds=(0.01,), reset_after_seconds=0.0)
    front = front_end(*["crash_in_training"] * 3, "good", restarts=patient)
    front.train()
    front.until(lambda session: session.contributed_samples > 3 * fake_worker.SAMPLES_A_LIFE)
    assert front.happened(Restarting) == [Restarting(attempt=1, seconds=0.01)] * 3


def test_a_foreseen_problem_is_final(front_end: Open) -> None:
    front = front_end("fail_for_good", "good")
    front.client.join(ADDRESS)
    session = front.until_ended()
    assert (session.problem, str(session.problem_detail)) == (ErrorKind.NOBODY_ANSWERS, "2 addresses were tried.")
    assert len(front.lives()) == 1


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ("talk_nonsense", ErrorKind.WORKER_NONSENSE),
        ("speak_a_newer_protocol", ErrorKind.PROTOCOL_MISMATCH),
        ("die_before_hello", ErrorKind.ENGINE_MISSING),
        ("fail_and_stay", ErrorKind.NOBODY_ANSWERS),
    ],
)
def test_a_worker_that_cannot_be_of_use_is_ended_at_once(front_end: Open, part: str, problem: ErrorKind) -> None:
    front = front_end(part, "good")
    front.client.join(ADDRESS)
    assert front.until_ended().problem == problem
    assert len(front.lives()) == 1


def test_leaving_while_a_restart_is_waited_for_ends_the_session(front_end: Open) -> None:
    front = front_end("crash_in_training", "good", restarts=UNHURRIED)
    front.train()
    front.until(lambda session: session.restarting is not None)
    front.client.leave()
    assert (front.session.phase, front.session.problem) == ("ended", None)
    front.client.handle(RestartDue())
    assert len(front.lives()) == 1


def test_a_run_that_somebody_else_signs_after_a_crash_is_not_started(front_end: Open) -> None:
    front = front_end("crash_in_training", "be_of_another_organiser")
    front.train()
    assert front.until_ended().problem == ErrorKind.ORGANISER_CHANGED
    assert not any(isinstance(command, Start) for command in front.lives()[1])


def test_an_organiser_that_answers_before_it_publishes_its_run_again_is_waited_for(front_end: Open) -> None:
    """However long that takes; who looks for the run for the first time is told at once."""
    front = front_end("crash_in_training", *["find_no_run"] * 3, "be_of_another_run", *["find_no_run"] * 3, "good")
    front.train()
    front.until(lambda session: len(front.lives()) == 9 and session.phase == "training")
    assert front.session.problem is None
    newcomer = front_end("find_no_run", "good")
    newcomer.client.join(ADDRESS)
    assert newcomer.until_ended().problem is ErrorKind.NO_SUCH_RUN


def test_agreeing_while_the_worker_is_being_restarted_is_not_lost(front_end: Open) -> None:
    front = front_end("crash_after_search", "good")
    run = front.search()
    front.until(lambda session: session.restarting is not None)
    front.client.start(run, device="cpu")
    front.until(lambda session: session.contributed_samples > 0)


def test_an_engine_that_is_not_there_is_a_problem_with_advice(tmp_path: Path) -> None:
    events: queue.Queue[ClientEvent] = queue.Queue()
    client = Client(Folders.below(tmp_path), events.put, worker_command=[str(tmp_path / "python")])
    client.ask(Check())
    session = ending(client, events)
    assert session.problem == ErrorKind.ENGINE_MISSING
    assert str(tmp_path / "python") in str(session.problem_detail)


@contextlib.contextmanager
def too_few_files() -> Iterator[None]:
    """For this process: it may open two more, which are enough for a worker's log, and not for pipes beside it."""
    limits, taken = resource.getrlimit(resource.RLIMIT_NOFILE), list[int]()
    highest = max(int(each.name) for each in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 8, limits[1]))
    try:
        with contextlib.suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        for _ in range(2):
            os.close(taken.pop())
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for each in taken:
            os.close(each)


def test_a_worker_that_the_system_has_no_room_for_is_started_once_it_has(front_end: Open) -> None:
    front = front_end("crash_in_training", "good")
    with too_few_files():
        front.client.join(ADDRESS)
        front.until(lambda session: session.restarting is not None)
    front.client.start(front.until(lambda session: session.is_search_finished).runs[0], device="cpu")
    front.until(lambda session: session.restarting is not None)
    with too_few_files():
        front.until(lambda session: session.restarting is None)
        front.until(lambda session: session.restarting is not None)
    assert front.until(is_training_again).problem is None
    said = Failed(problem=ErrorKind.WORKER_CRASHED.key, detail="Too many open files.")
    assert front.happened(Failed) == [said, said]


def test_a_disk_without_room_for_the_log_is_not_taken_for_a_missing_engine(
    small_disk: Path, fill_disk: Callable[[], None]
) -> None:
    folders, events = Folders.below(small_disk), queue.Queue[ClientEvent]()
    folders.prepare()
    log = worker_log(folders.logs)
    log.write_bytes(b"x" * (MAX_LOG_BYTES + 1))
    fill_disk()
    client = Client(folders, events.put)
    client.join(ADDRESS)
    session = ending(client, events)
    assert session.problem == ErrorKind.DISK_FULL
    assert str(session.problem_detail) == f"{log}: No space left on device."


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    events: queue.Queue[ClientEvent] = queue.Queue()
    client = Client(Folders.below(tmp_path / "file"), events.put)
    client.join(ADDRESS)
    session = ending(client, events)
    assert session.problem == ErrorKind.FOLDER_NOT_WRITABLE
    assert str(tmp_path / "file") in str(session.problem_detail)


def test_one_session_at_a_time_and_another_after_it(front_end: Open) -> None:
    front = front_end("good")
    front.train()
    with pytest.raises(RuntimeError):
        front.client.join(ADDRESS)
    front.client.leave()
    front.until_ended()
    assert front.train().contributed_samples <= fake_worker.SAMPLES_A_LIFE
