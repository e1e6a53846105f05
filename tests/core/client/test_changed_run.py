"""A worker is told to start what a person has agreed to, and nothing that the run has become since: a fake engine."""

from __future__ import annotations

import pytest

from core.client.session import Session
from core.errors import ErrorKind
from core.protocol.commands import Leave, Start
from core.protocol.events import Restarting, RunFound, TrainingStarted
from core.run.consent import consent_digest
from tests.support.client_harness import FrontEnd, Open
from tests.support.consents import consent_to
from tests.support.peers import fake_worker


def asks(session: Session) -> bool:
    """The changed run is found, and waits for a person."""
    return session.is_changed and session.phase == "found" and session.is_search_finished


def starts(front: FrontEnd) -> list[str]:
    """The digests that workers were told to train."""
    return [command.digest for life in front.lives() for command in life if isinstance(command, Start)]


def assert_only_starts_of(front: FrontEnd, *manifests: object) -> None:
    """What workers were told, life after life."""
    assert starts(front) == [consent_digest(manifest) for manifest in manifests]  # type: ignore[arg-type]


@pytest.mark.parametrize("end", ["pause", "crash"])
def test_a_run_that_was_changed_meanwhile_waits_for_a_person(front_end: Open, end: str) -> None:
    front = front_end("crash_in_training" if end == "crash" else "good", "be_widened")
    front.train()
    if end == "pause":
        front.client.pause()
        front.until(lambda session: session.phase == "paused")
        front.client.resume()
    session = front.until(asks)
    assert_only_starts_of(front, fake_worker.manifest())
    assert session.agreed is not None and session.agreed.manifest == fake_worker.manifest()
    assert not session.can_pause and session.problem is None
    (changed,) = session.runs
    front.client.start(changed, device="cpu")
    front.until(lambda session: session.contributed_samples > fake_worker.SAMPLES_A_LIFE)
    assert_only_starts_of(front, fake_worker.manifest(), fake_worker.widened())


@pytest.mark.parametrize("end", ["pause", "crash"])
def test_other_words_about_the_same_run_ask_nobody(front_end: Open, end: str) -> None:
    front = front_end("crash_in_training" if end == "crash" else "good", "be_described_anew")
    front.train()
    if end == "pause":
        front.client.pause()
        front.until(lambda session: session.phase == "paused")
        front.client.resume()
    front.until(lambda session: session.contributed_samples > fake_worker.SAMPLES_A_LIFE)
    assert_only_starts_of(front, fake_worker.manifest(), fake_worker.manifest())


def test_a_worker_that_dies_while_a_person_reads_the_changes_starts_nothing_either(front_end: Open) -> None:
    front = front_end("crash_in_training", "be_widened_and_crash_after_search", "be_widened")
    front.train()
    front.until(lambda session: len(front.happened(Restarting)) == 2)
    session = front.until(asks)
    assert_only_starts_of(front, fake_worker.manifest())
    assert session.agreed is not None and session.agreed.manifest == fake_worker.manifest()


def test_whoever_agrees_to_a_review_that_is_out_of_date_is_asked_again(front_end: Open) -> None:
    front = front_end("crash_after_search", "be_widened")
    shown = front.search()
    front.until(lambda session: session.restarting is not None)
    front.until(lambda session: session.is_search_finished)
    front.client.start(shown, device="cpu")
    assert asks(front.session)
    assert starts(front) == []


def test_a_worker_that_refuses_the_digest_leads_to_a_new_review(front_end: Open) -> None:
    front = front_end("refuse_the_digest", "be_widened")
    front.client.start(front.search(), device="cpu")
    session = front.until(asks)
    assert [event.problem for event in front.happened(Restarting) if isinstance(event, Restarting)] == ["run_changed"]
    assert_only_starts_of(front, fake_worker.manifest())
    assert front.happened(TrainingStarted) == [] and session.problem is None


def test_whoever_does_not_want_what_has_become_of_the_run_leaves(front_end: Open) -> None:
    front = front_end("crash_in_training", "be_widened")
    front.train()
    front.until(asks)
    front.client.leave()
    assert front.until_ended().problem is None
    assert front.lives()[1][1:] == [Leave()]


def test_a_newer_revision_during_training_changes_nothing_before_the_next_start(front_end: Open) -> None:
    front = front_end("good", "be_widened")
    front.train()
    newer = RunFound(manifest=fake_worker.widened(), organiser=fake_worker.ORGANISER, vouched=True)
    front.client.handle(newer)
    assert (front.session.phase, front.session.chosen) == ("training", newer)
    assert front.session.consent == consent_to(front.happened(RunFound)[0])  # type: ignore[arg-type]
    front.client.pause()
    front.until(lambda session: session.phase == "paused")
    front.client.resume()
    session = front.until(asks)
    assert session.agreed is not None and session.agreed.manifest == fake_worker.manifest()


def test_the_error_says_what_to_do() -> None:
    assert "Start" in ErrorKind.RUN_CHANGED.advice and "inspect" in ErrorKind.RUN_CHANGED.terminal_advice
