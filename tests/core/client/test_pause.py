"""Pausing ends the worker and keeps the run: real processes, a fake engine."""

from __future__ import annotations

import time

import msgspec
import pytest

from core.availability.decision import Decision, Reason
from core.client.restart_policy import RestartPolicy
from core.client.session import Session
from core.errors import ErrorKind
from core.protocol.client_events import AvailabilityDecided, Pause, WorkerExited
from core.protocol.commands import Join, Leave, Start
from core.protocol.events import Restarting
from tests.support.client_harness import FrontEnd, Open
from tests.support.peers import fake_worker

FREE, BUSY = AvailabilityDecided(Decision()), AvailabilityDecided(Decision((Reason("game", "SuperTux"),)))
NIGHT = AvailabilityDecided(Decision((Reason("hours"),)))
UNHURRIED = RestartPolicy(delays_seconds=(3600.0,))


def is_paused(session: Session) -> bool:
    """Nothing is computed, and nobody has left."""
    return session.phase == "paused"


def pause(front: FrontEnd, until: float | None = None) -> Session:
    """Pause, and wait until the device is free."""
    front.client.pause(until)
    return front.until(is_paused)


def is_training_again(session: Session) -> bool:
    """A second worker has added to what the first one gave."""
    return session.contributed_samples > fake_worker.SAMPLES_A_LIFE


def test_a_pause_says_goodbye_and_leaves_no_worker(front_end: Open) -> None:
    front = front_end("good")
    front.train()
    front.client.pause()
    assert (front.session.phase, front.session.pause) == ("leaving", Pause())
    session = front.until(is_paused)
    assert front.lives()[0][-1] == Leave()
    assert isinstance(front.events[-1], WorkerExited)
    assert (session.is_worker_running, session.problem, session.progress) == (False, None, None)
    assert session.contributed_samples == fake_worker.SAMPLES_A_LIFE


def test_resuming_asks_nobody_again_and_goes_on_counting(front_end: Open) -> None:
    front = front_end("good")
    front.train()
    pause(front)
    front.client.resume()
    assert (front.session.phase, front.session.pause) == ("connecting", None)
    front.until(is_training_again)
    (join, start, *_), (join_again, *start_again) = front.lives()
    assert isinstance(join, Join) and start_again == [start]
    assert join_again == msgspec.structs.replace(join, run_id=fake_worker.RUN_ID)


def test_a_snooze_ends_by_itself(front_end: Open) -> None:
    front = front_end("good")
    front.train()
    pause(front, until=time.time() + 0.2)
    front.until(is_training_again)


def test_a_snooze_whose_end_is_past_ends_at_once(front_end: Open) -> None:
    front = front_end("good")
    front.train()
    front.client.pause(until=time.time() - 3600)
    front.until(is_training_again)


def test_whoever_resumes_while_the_worker_still_leaves_gets_a_new_one(front_end: Open) -> None:
    front = front_end("good")
    front.train()
    front.client.pause()
    front.client.resume()
    assert front.session.phase == "leaving"
    front.until(is_training_again)
    assert len(front.lives()) == 2


def test_a_pause_may_be_made_longer(front_end: Open) -> None:
    front = front_end("good")
    front.train()
    pause(front, until=time.time() + 3600)
    longer = time.time() + 7200
    front.client.pause(longer)
    assert (front.session.phase, front.session.pause) == ("paused", Pause(until=longer))


def test_the_alarm_of_an_earlier_pause_does_not_end_this_one(front_end: Open) -> None:
    front = front_end("good")
    front.train()
    pause(front, until=time.time() + 0.05)
    front.client.pause()
    pause(front)
    front.client.resume()
    front.until(is_training_again)
    assert len(front.lives()) == 2


def test_an_epoch_is_finished_and_then_there_is_a_pause(front_end: Open) -> None:
    front = front_end("go_through_epochs")
    front.train()
    front.client.finish_epoch()
    epoch = front.session.finish_at_epoch
    assert front.session.is_finishing and epoch is not None
    session = front.until(is_paused)
    assert session.pause == Pause(reason="epoch_finished")
    assert session.first_epoch is not None and session.first_epoch + session.epochs_done == epoch
    assert not session.is_finishing


def test_finishing_can_be_taken_back(front_end: Open) -> None:
    front = front_end("go_through_epochs")
    front.train()
    front.client.finish_epoch()
    front.client.finish_epoch(is_wanted=False)
    done = front.session.epochs_done
    front.until(lambda session: session.epochs_done > done + 2)
    assert front.session.phase == "training"


def test_a_pause_while_a_restart_is_waited_for_needs_no_worker(front_end: Open) -> None:
    front = front_end("crash_in_training", "good", restarts=UNHURRIED)
    front.train()
    front.until(lambda session: session.restarting is not None)
    front.client.pause()
    assert (front.session.phase, front.session.restarting) == ("paused", None)
    front.client.resume()
    front.until(is_training_again)


def test_a_worker_that_crashes_while_it_leaves_for_a_pause_is_no_problem(front_end: Open) -> None:
    front = front_end("crash_when_told_to_leave", "good")
    front.train()
    session = pause(front)
    assert (session.problem, front.happened(Restarting)) == (None, [])
    front.client.resume()
    front.until(is_training_again)


@pytest.mark.parametrize("goes", [False, True])
def test_leaving_ends_a_pause_for_good(front_end: Open, goes: bool) -> None:
    front = front_end("good")
    front.train()
    front.client.pause()
    if goes:
        front.until(is_paused)
    front.client.leave()
    session = front.until_ended()
    assert (session.pause, session.problem) == (None, None)
    front.client.resume()
    assert front.session.phase == "ended"


def test_what_is_wrong_after_a_pause_is_told(front_end: Open) -> None:
    front = front_end("good", "be_of_another_organiser")
    front.train()
    pause(front)
    front.client.resume()
    assert front.until_ended().problem == ErrorKind.ORGANISER_CHANGED


def test_before_anybody_agreed_there_is_nothing_to_pause(front_end: Open) -> None:
    front = front_end("good")
    front.client.pause()
    assert front.session.phase == "idle"
    front.search()
    front.client.pause()
    assert (front.session.phase, front.session.pause) == ("found", None)


def test_a_rule_ends_the_worker_and_starts_another_when_it_is_over(front_end: Open) -> None:
    front = front_end("good")
    front.train()
    front.client.handle(BUSY)
    session = front.until(is_paused)
    assert session.pause == Pause("rule", rule=BUSY.decision.reason)
    assert front.lives()[0][-1] == Leave()
    front.client.handle(NIGHT)
    front.client.handle(FREE)
    front.until(is_training_again)
    assert len(front.lives()) == 2, "another reason has started nothing"


def test_a_rule_that_is_over_before_the_worker_has_left_starts_another(front_end: Open) -> None:
    front = front_end("good")
    front.train()
    front.client.handle(BUSY)
    front.client.handle(FREE)
    assert front.session.phase == "leaving"
    front.until(is_training_again)


def test_nothing_is_computed_where_a_rule_asks_for_a_pause_at_the_start(front_end: Open) -> None:
    front = front_end("good")
    front.client.handle(BUSY)
    front.client.start(front.search(), device="cpu", threads=1)
    session = front.until(is_paused)
    assert session.consent is not None
    assert not any(isinstance(command, Start) for command in front.lives()[0])
    front.client.handle(FREE)
    front.until(lambda session: session.phase == "training")
    assert front.lives()[1][1] == session.consent


def test_a_snooze_that_ends_while_a_rule_asks_starts_no_worker(front_end: Open) -> None:
    front = front_end("good")
    front.train()
    front.client.pause(until=time.time() - 1)
    front.client.handle(BUSY)
    session = front.until(lambda session: session.pause is not None and session.pause.reason == "rule")
    assert (session.phase, len(front.lives())) == ("paused", 1)


def test_leaving_ends_a_pause_of_the_rules_for_good(front_end: Open) -> None:
    front = front_end("good")
    front.train()
    front.client.handle(BUSY)
    front.until(is_paused)
    front.client.leave()
    front.until_ended()
    front.client.handle(FREE)
    assert (front.session.phase, len(front.lives())) == ("ended", 1)
