"""The picture of a session: a fold over events, which a bug report can replay."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.availability.decision import Decision, Reason
from core.client import reducer
from core.client.restart_policy import RestartPolicy
from core.client.session import KEPT_ROUNDS, Session
from core.errors import ErrorKind
from core.localizable import LocalizedText
from core.protocol.client_events import (
    Asked,
    AvailabilityDecided,
    ClientEvent,
    Pause,
    PauseAsked,
    RestartDue,
    ResumeAsked,
    WorkerExited,
)
from core.protocol.commands import Check, DryRun, Export, Join, Leave, Publish
from core.protocol.events import (
    CheckpointSaved,
    Connected,
    ContributionStatus,
    EngineChecked,
    Evaluated,
    Exported,
    Failed,
    FitMeasured,
    Hello,
    Left,
    LineMeasured,
    Network,
    Published,
    Restarting,
    RoundFinished,
    RunFound,
    SearchFinished,
    StateLoading,
    TrainingStarted,
    Warned,
)
from core.protocol.experts import ExpertSeen, ExpertsSeen
from core.protocol.limits import Traffic
from core.protocol.peers import PeerSeen, PeersSeen
from tests.support.consents import consent_to
from tests.support.peers.fake_worker import ORGANISER, manifest, progress
from tests.support.peers.sample_addresses import NOWHERE

JOIN = Asked(Join(addresses=(NOWHERE,), home="/nowhere"))
LEAVE = Asked(Leave())
PUBLISH = Asked(Publish(manifest=manifest(), home="/nowhere"))
REHEARSE = Asked(DryRun(manifest=manifest(), device="cpu"))
FIT = FitMeasured(device="cpu", micro_batch=4, samples_per_second=31.0, memory_bytes=10**9)
HELLO = Hello(protocol=1, version="fake")
FOUND = RunFound(manifest=manifest(), organiser=ORGANISER, vouched=True)
START = Asked(consent_to(FOUND), shown=FOUND)
STARTED = TrainingStarted(device="cpu", epoch=7, parameters=1000)
CRASHED = WorkerExited(-11)
TRAINING: tuple[ClientEvent, ...] = (JOIN, HELLO, FOUND, SearchFinished(found=1), START, STARTED)


def picture(*events: ClientEvent) -> Session:
    """What is seen after those events."""
    return reduce(reducer.reduce, events, Session())


def round_at(epoch: int) -> RoundFinished:
    """A round that went well."""
    return RoundFinished(epoch=epoch, kind="gradients", ok=True, peers=2, seconds=0.5)


def failed(problem: ErrorKind) -> Failed:
    """The worker's last words."""
    return Failed(problem=problem.key, detail="3 were tried.")


def test_a_volunteer_goes_from_the_address_to_training_and_home() -> None:
    steps: list[tuple[ClientEvent, str]] = [
        (JOIN, "connecting"),
        (HELLO, "connecting"),
        (Connected(peer_id="12D3KooWme", peers=2), "connecting"),
        (FOUND, "found"),
        (SearchFinished(found=1), "found"),
        (START, "starting"),
        (StateLoading(received_bytes=1, total_bytes=2), "starting"),
        (STARTED, "training"),
        (progress(10), "training"),
        (LEAVE, "leaving"),
        (progress(20), "leaving"),
        (Left(contributed_samples=25), "leaving"),
        (WorkerExited(0), "ended"),
    ]
    session = Session()
    for event, phase in steps:
        session = reducer.reduce(session, event)
        assert session.phase == phase, event
    assert session.chosen == FOUND
    assert session.contributed_samples == 25
    assert session.problem is None


def test_a_download_is_shown_until_training_begins() -> None:
    loading = StateLoading(received_bytes=1, total_bytes=2)
    assert picture(*TRAINING[:-1], loading).loading == loading
    assert picture(*TRAINING[:-1], loading, STARTED).loading is None


def test_a_keeper_is_up_once_it_has_published() -> None:
    keep = Asked(Publish(manifest=manifest(), home="/nowhere", train=False))
    published = Published(addresses=("/ip4/127.0.0.1/tcp/1",), link="workerbee://join?peer=x", revision=1)
    assert picture(keep, HELLO, published).phase == "training"
    assert picture(PUBLISH, HELLO, published).phase == "starting"
    assert picture(PUBLISH, HELLO, published, STARTED).published == published


def test_epochs_are_counted_from_where_we_began() -> None:
    session = picture(*TRAINING)
    assert (session.first_epoch, session.epochs_done) == (7, 0)
    session = reducer.reduce(session, progress(10))
    assert (session.first_epoch, session.epochs_done) == (7, 1)


@pytest.mark.parametrize(("seconds", "share"), [(None, 0.25), (60.0, 0.5)])
def test_the_share_of_a_step_is_that_of_all_samples_unless_a_clock_may_end_it(
    seconds: float | None, share: float
) -> None:
    """The last report before a step knows of half of the others' samples at most."""
    together = msgspec.structs.replace(FOUND.manifest.collaboration, max_round_seconds=seconds, mode="local-sgd")
    found = msgspec.structs.replace(FOUND, manifest=msgspec.structs.replace(FOUND.manifest, collaboration=together))
    start = Asked(consent_to(found), shown=found)
    told = msgspec.structs.replace(progress(500), my_samples=250)
    session = picture(JOIN, HELLO, found, SearchFinished(found=1), start, STARTED, told, progress(10, epoch=9))
    assert session.last_share == share


def test_only_the_last_rounds_are_kept() -> None:
    session = picture(*TRAINING, *(round_at(epoch) for epoch in range(40)))
    assert [seen.epoch for seen in session.rounds] == list(range(40 - KEPT_ROUNDS, 40))


def test_a_run_that_is_told_again_replaces_what_was_known_of_it() -> None:
    later = RunFound(manifest=manifest(), organiser=ORGANISER, vouched=True, epoch=9)
    other = RunFound(manifest=manifest(), organiser="12D3KooWother", vouched=False)
    session = picture(*TRAINING, other, later)
    assert session.runs == (later, other)
    assert session.chosen == later


def test_the_same_warning_is_shown_once() -> None:
    damaged, full = Warned(problem=ErrorKind.CHECKPOINT_DAMAGED.key), Warned(problem=ErrorKind.DISK_FULL.key)
    assert picture(*TRAINING, damaged, full, damaged).warnings == (full, damaged)


def test_what_was_given_is_counted_over_all_workers() -> None:
    again = (Restarting(attempt=1, seconds=2.0), RestartDue(), HELLO, FOUND, START, STARTED)
    session = picture(*TRAINING, progress(100), CRASHED, *again)
    assert session.contributed_samples == 100
    session = reducer.reduce(session, progress(10))
    assert session.contributed_samples == 110
    assert session.epochs_done == 1


def test_a_crash_does_not_end_the_session() -> None:
    session = picture(*TRAINING, round_at(7), CRASHED)
    assert session.is_crashed
    assert session.phase == "training"
    restarting = Restarting(attempt=1, seconds=2.0)
    session = reducer.reduce(session, restarting)
    assert (session.phase, session.restarting, session.progress) == ("connecting", restarting, None)
    assert session.rounds == (round_at(7),)
    session = reducer.reduce(session, RestartDue())
    assert (session.is_worker_running, session.restarting, session.problem) == (True, None, None)


@pytest.mark.parametrize("problem", [ErrorKind.INTERNAL, ErrorKind.WORKER_CRASHED, ErrorKind.STATE_NOT_LOADED])
def test_an_unforeseen_problem_is_a_crash(problem: ErrorKind) -> None:
    session = picture(*TRAINING, failed(problem), CRASHED)
    assert session.is_crashed
    assert session.problem is None


def test_a_foreseen_problem_ends_the_session() -> None:
    session = picture(*TRAINING, failed(ErrorKind.OUT_OF_MEMORY))
    assert (session.problem, str(session.problem_detail)) == (ErrorKind.OUT_OF_MEMORY, "3 were tried.")
    assert reducer.reduce(session, WorkerExited(1)).phase == "ended"


def test_the_first_problem_is_the_one_that_counts() -> None:
    session = picture(*TRAINING, failed(ErrorKind.NO_ROOM), failed(ErrorKind.OUT_OF_MEMORY), WorkerExited(1))
    assert session.problem == ErrorKind.NO_ROOM


@pytest.mark.parametrize("cause", [ErrorKind.NETWORK_CHANGED, ErrorKind.RUN_ROLLED_BACK])
def test_a_worker_that_leaves_to_begin_anew_does_not_end_the_session(cause: ErrorKind) -> None:
    session = picture(*TRAINING, failed(cause), Left(contributed_samples=150), WorkerExited(0))
    assert session.is_crashed
    session = reducer.reduce(session, Restarting(attempt=1, seconds=2.0, problem=cause.key))
    assert (session.phase, session.contributed_samples, session.left) == ("connecting", 150, None)


def test_a_restarted_organiser_does_not_go_back_to_its_checkpoint_again() -> None:
    back = Asked(Publish(manifest=manifest(), home="/nowhere", from_checkpoint=20))
    assert picture(back).opening == back.command
    assert picture(back).opening_again == PUBLISH.command


def test_when_there_is_no_other_attempt_the_crash_is_the_problem() -> None:
    session = picture(*TRAINING, CRASHED, failed(ErrorKind.WORKER_CRASHED))
    assert (session.phase, session.problem) == ("ended", ErrorKind.WORKER_CRASHED)


def test_a_worker_that_dies_while_leaving_has_left() -> None:
    session = picture(*TRAINING, LEAVE, WorkerExited(-9))
    assert (session.phase, session.problem) == ("ended", None)


def test_leaving_while_no_worker_lives_is_the_end() -> None:
    session = picture(*TRAINING, CRASHED, Restarting(attempt=1, seconds=2.0), LEAVE)
    assert (session.phase, session.restarting) == ("ended", None)
    assert reducer.reduce(session, RestartDue()) == session
    assert reducer.reduce(session, Restarting(attempt=1, seconds=2.0)) == session


def test_a_check_ends_with_its_answer_or_with_a_problem() -> None:
    engine = EngineChecked(torch="2.13.0", hivemind="1.1.12")
    assert picture(Asked(Check()), HELLO, engine, WorkerExited(0)).phase == "ended"
    session = picture(Asked(Check()), HELLO, failed(ErrorKind.INTERNAL), WorkerExited(1))
    assert (session.phase, session.problem) == ("ended", ErrorKind.INTERNAL)
    assert picture(Asked(Check()), HELLO, CRASHED).is_crashed


def test_a_dry_run_ends_with_what_it_has_found_or_with_a_problem() -> None:
    assert picture(REHEARSE, HELLO, FIT, WorkerExited(0)).phase == "ended"
    assert picture(REHEARSE, HELLO, FIT, WorkerExited(0)).fit == FIT
    session = picture(REHEARSE, HELLO, failed(ErrorKind.FIT_UNKNOWN), WorkerExited(1))
    assert (session.phase, session.problem, session.fit) == ("ended", ErrorKind.FIT_UNKNOWN, None)
    assert picture(REHEARSE, HELLO, CRASHED).is_crashed
    assert picture(*TRAINING, FIT).fit == FIT


def test_an_export_ends_with_what_it_has_written_or_with_a_problem() -> None:
    asked = Asked(Export(manifest=manifest(), home="/nowhere", checkpoint="c", folder="f"))
    done = Exported(epoch=7, loss=0.5)
    session = picture(asked, HELLO, done, WorkerExited(0))
    assert (session.phase, session.exported, session.problem) == ("ended", done, None)
    session = picture(asked, HELLO, failed(ErrorKind.NO_CHECKPOINT), WorkerExited(1))
    assert (session.phase, session.problem) == ("ended", ErrorKind.NO_CHECKPOINT)


def test_of_experts_the_last_event_counts_until_another_worker_begins() -> None:
    later = ExpertsSeen(experts=EXPERTS.experts, found_share=0.5)
    assert picture(*TRAINING, EXPERTS, later).experts == later
    begun_anew = picture(*TRAINING, EXPERTS, CRASHED, Restarting(attempt=1, seconds=2.0))
    assert begun_anew.is_worker_running is False and begun_anew.experts is None


def test_joining_again_begins_a_new_picture() -> None:
    assert picture(*TRAINING, LEAVE, WorkerExited(0), JOIN) == picture(JOIN)


def test_restarts_wait_longer_and_longer_and_then_end() -> None:
    policy, problem = RestartPolicy(), ErrorKind.WORKER_CRASHED
    attempts = [0]
    while (attempt := policy.next_attempt(attempts[-1], 59.0, problem)) is not None:
        attempts.append(attempt)
    assert [policy.delay_seconds(attempt, problem) for attempt in attempts[1:]] == [2.0, 4.0, 8.0, 16.0, 32.0]
    assert policy.last_attempt(problem) == attempts[-1]


def test_a_network_is_waited_for_as_long_as_it_takes() -> None:
    policy, problem = RestartPolicy(), ErrorKind.NOBODY_ANSWERS
    assert policy.next_attempt(1000, 0.0, problem) == 1001
    assert policy.delay_seconds(1001, problem) == 8.0
    assert policy.last_attempt(problem) is None


def test_a_disk_is_waited_for_as_long_as_it_is_full_and_looked_at_once_a_minute() -> None:
    policy, problem = RestartPolicy(), ErrorKind.DISK_FULL
    assert policy.next_attempt(1000, 0.0, problem) == 1001 and policy.last_attempt(problem) is None
    assert [policy.delay_seconds(attempt, problem) for attempt in (1, 5, 6, 1001)] == [2.0, 32.0, 60.0, 60.0]


def test_a_full_disk_ends_a_mere_search_and_no_session_that_helps() -> None:
    full = failed(ErrorKind.DISK_FULL)
    assert picture(*TRAINING, full, WorkerExited(1)).is_crashed
    assert picture(JOIN, HELLO, full, WorkerExited(1)).problem is ErrorKind.DISK_FULL
    patient = replace(JOIN, waits_for_room=True)
    assert picture(patient, HELLO, full, WorkerExited(1)).is_crashed
    assert picture(patient, HELLO, failed(ErrorKind.NO_ROOM), WorkerExited(1)).problem is ErrorKind.NO_ROOM
    assert picture(patient, HELLO, full, WorkerExited(1), LEAVE).phase == "ended"
    assert picture(patient, LEAVE, WorkerExited(0), JOIN) == picture(JOIN)


def test_where_nothing_is_broken_the_first_attempt_comes_at_once() -> None:
    policy = RestartPolicy()
    for problem in (ErrorKind.SWARM_LOST, ErrorKind.NETWORK_CHANGED):
        assert [policy.delay_seconds(attempt, problem) for attempt in (1, 2)] == [0.0, 4.0]


def test_a_good_minute_earns_all_attempts_again() -> None:
    assert RestartPolicy().next_attempt(5, 60.0, ErrorKind.WORKER_CRASHED) == 1


@pytest.mark.parametrize("problem", [ErrorKind.GPU_UNUSABLE, ErrorKind.NO_SUCH_DEVICE])
def test_a_gpu_that_fails_after_it_has_computed_is_tried_again_and_one_that_never_has_is_not(
    problem: ErrorKind,
) -> None:
    assert picture(*TRAINING, failed(problem), WorkerExited(1)).is_crashed
    assert picture(JOIN, HELLO, failed(problem), WorkerExited(1)).problem is problem
    policy = RestartPolicy()
    assert (policy.delay_seconds(3, problem), policy.last_attempt(problem)) == (8.0, 5)
    assert policy.delay_seconds(6, problem) == 300.0 and policy.last_attempt(problem, has_trained=True) is None


def test_where_it_has_worked_before_it_is_tried_for_ever_but_rarely() -> None:
    policy, problem = RestartPolicy(), ErrorKind.WORKER_CRASHED
    assert policy.next_attempt(5, 0.0, problem, has_trained=True) == 6
    assert policy.last_attempt(problem, has_trained=True) is None
    assert policy.delay_seconds(6, problem) == policy.delay_seconds(7, problem) == 300.0


def evaluated(epoch: int) -> Evaluated:
    """How well the model does."""
    return Evaluated(epoch=epoch, loss=1.0, accuracy=0.5)


SEEN = PeerSeen(peer_id="12D3KooWme", epoch=7, samples=1, samples_per_second=1.0, client_mode=False)
EXPERTS = ExpertsSeen(experts=(ExpertSeen(layer=1, number=0, host="12D3KooWme", is_mine=True),), found_share=1.0)
GAME, NIGHT = Reason("game", "SuperTux"), Reason("hours")
BUSY, CLOSED = AvailabilityDecided(Decision((GAME, NIGHT))), AvailabilityDecided(Decision((NIGHT,)))
FREE = AvailabilityDecided(Decision(ignored=("battery",)))
BY_GAME, BY_NIGHT = Pause("rule", rule=GAME), Pause("rule", rule=NIGHT)
ANY_EVENT: tuple[ClientEvent, ...] = (
    *TRAINING,
    BUSY,
    CLOSED,
    FREE,
    PauseAsked(Pause()),
    ResumeAsked(),
    ResumeAsked(of=BY_GAME),
    PUBLISH,
    Asked(Check()),
    REHEARSE,
    FIT,
    LEAVE,
    EngineChecked(torch="2.13.0", hivemind="1.1.12"),
    Network(mode="client", reason=LocalizedText("behind a router")),
    LineMeasured(direction="upload", bits_per_second=18e6, at=1.8e9),
    Published(addresses=(), link="workerbee://join?peer=x", revision=1),
    StateLoading(received_bytes=1, total_bytes=2),
    progress(10),
    progress(20),
    Traffic(sent_bytes=3, received_bytes=4),
    round_at(7),
    PeersSeen(peers=(SEEN,)),
    EXPERTS,
    ContributionStatus(state="alone", reason=LocalizedText("nobody else is there")),
    evaluated(7),
    CheckpointSaved(path="/nowhere", epoch=7),
    Warned(problem=ErrorKind.DISK_FULL.key),
    failed(ErrorKind.INTERNAL),
    failed(ErrorKind.NOBODY_ANSWERS),
    Left(contributed_samples=15),
    Restarting(attempt=1, seconds=2.0),
    RestartDue(),
    WorkerExited(0),
    CRASHED,
)


@given(st.lists(st.sampled_from(ANY_EVENT), max_size=60))
def test_every_story_has_a_sound_picture(story: list[ClientEvent]) -> None:
    session = Session()
    for event in story:
        before, session = session, reducer.reduce(session, event)
        assert len(session.rounds) <= KEPT_ROUNDS
        assert session.restarting is None or not session.is_worker_running
        is_new = isinstance(event, Asked) and isinstance(event.command, Join | Publish | Check | DryRun | Export)
        assert is_new or session.contributed_samples >= before.contributed_samples
        assert session.traffic.sent_bytes >= before.traffic.sent_bytes, "not even a new session begins anew"
        assert is_new or before.phase != "ended" or session.phase == "ended"
        assert is_new or before.problem is None or session.problem == before.problem
        rule = session.rule_in_force
        assert rule is None or session.pause == Pause("rule", rule=rule), "what the rules ask is done at once"
        if isinstance(event, AvailabilityDecided):
            assert before.pause in (None, BY_GAME, BY_NIGHT) or session.pause == before.pause
            assert isinstance(before.opening, Join) or session.phase == before.phase
    assert session == picture(*story)


def test_a_rule_pauses_and_its_end_resumes() -> None:
    session = picture(*TRAINING, progress(100), BUSY)
    assert (session.phase, session.pause) == ("leaving", BY_GAME)
    session = reducer.reduce(session, WorkerExited(0))
    assert (session.phase, session.pause) == ("paused", BY_GAME)
    session = reducer.reduce(session, FREE)
    assert (session.phase, session.pause, session.is_worker_running) == ("connecting", None, True)
    assert (session.availability.ignored, session.contributed_samples) == (("battery",), 100)


def test_another_reason_changes_the_words_alone() -> None:
    before = picture(*TRAINING, BUSY, WorkerExited(0))
    assert reducer.reduce(before, CLOSED) == replace(before, availability=CLOSED.decision, pause=BY_NIGHT)


def test_a_rule_that_ends_while_the_worker_leaves_is_followed_by_another_worker() -> None:
    session = picture(*TRAINING, BUSY, FREE)
    assert session.phase == "leaving"
    session = reducer.reduce(session, WorkerExited(0))
    assert (session.phase, session.pause, session.is_worker_running) == ("connecting", None, True)


def test_a_pause_of_the_person_is_left_alone_by_the_rules() -> None:
    paused = picture(*TRAINING, PauseAsked(Pause()), WorkerExited(0))
    for event in (BUSY, FREE):
        assert reducer.reduce(paused, event).pause == Pause()
    taken_over = picture(*TRAINING, BUSY, WorkerExited(0), PauseAsked(Pause()), FREE)
    assert (taken_over.phase, taken_over.pause) == ("paused", Pause())


def test_a_pause_of_the_person_that_ends_while_a_rule_asks_becomes_the_rules_pause() -> None:
    session = picture(*TRAINING, PauseAsked(Pause()), WorkerExited(0), BUSY, ResumeAsked(of=Pause()))
    assert (session.phase, session.pause, session.is_worker_running) == ("paused", BY_GAME, False)


def test_whoever_agrees_while_a_rule_asks_has_agreed_and_waits() -> None:
    session = picture(BUSY, *TRAINING[:-1])
    assert (session.phase, session.pause, session.joined_run_id) == ("leaving", BY_GAME, FOUND.manifest.run.id)
    assert picture(BUSY, *TRAINING[:-1], WorkerExited(0), FREE).phase == "connecting"


def test_before_anybody_agreed_a_rule_pauses_nothing() -> None:
    assert picture(*TRAINING[:-2], BUSY) == replace(picture(*TRAINING[:-2]), availability=BUSY.decision)


def test_an_organiser_is_not_paused() -> None:
    for opening in (PUBLISH, Asked(Check()), REHEARSE):
        assert picture(BUSY, opening, HELLO).pause is None


def test_what_the_rules_have_decided_outlives_a_session() -> None:
    assert picture(BUSY, JOIN).availability == BUSY.decision
