"""What is going on, in sentences."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

from core.availability.decision import Decision, Reason
from core.availability.pacing import Pace
from core.availability.rules import AvailabilityRules
from core.client.event_timestamps import EventTimestamps
from core.client.reducer import reduce
from core.client.session import Session
from core.errors import ErrorKind
from core.localizable import LocalizedText, localized
from core.protocol.client_events import Asked, Pause
from core.protocol.commands import Join, Start
from core.protocol.events import (
    Connected,
    ContributionStatus,
    Failed,
    Left,
    Restarting,
    RoundFinished,
    RunFound,
    StateLoading,
)
from core.run.steering.control_value import Order, OrderState
from core.texts import errors as problem_words
from core.texts import figures
from core.texts import status as sentences
from core.texts.contributions.status import contribution_status
from tests.app.support.training_sample import finished, progress
from tests.support.consents import NO_DIGEST
from tests.support.real_peers import tiny

NOW = 1_000_000.0
JOINING = reduce(Session(), Asked(Join(addresses=(), home="/tmp")))
START = Start(run_id="sums", organiser="me", digest=NO_DIGEST, device="cpu")
STARTING = replace(JOINING, phase="starting")


def training(state: str = "helping", *rounds: RoundFinished) -> Session:
    contribution_status = ContributionStatus(state=state, reason=LocalizedText("said by the worker"))  # type: ignore[arg-type]
    return replace(
        STARTING,
        phase="training",
        progress=progress(),
        rounds=rounds,
        contribution_status=contribution_status,
    )


def status(session: Session, seconds_later: float = 0.0) -> str:
    return sentences.status(session, EventTimestamps().after(session, NOW), NOW + seconds_later)


def test_training_says_the_epoch_the_last_round_and_the_next() -> None:
    assert (
        status(training("helping", finished()), seconds_later=12)
        == "Training · epoch 42 · averaged with 6 peers 12 s ago · next round in ~40 s"
    )


def test_where_each_takes_steps_of_its_own_it_says_round_and_steps() -> None:
    session = replace(training("helping", finished()), progress=progress(steps=140, samples=500, target=1000))
    assert (
        status(session, seconds_later=12)
        == "Training · round 42 · 140 of ~280 steps · averaged with 6 peers 12 s ago · next round in ~40 s"
    )
    beginning = replace(session, progress=progress(steps=1, samples=0))
    assert status(beginning).startswith("Training · round 42 · 1 step · ")
    ending = replace(session, progress=progress(steps=300, samples=1010, target=1000))
    assert "300 of ~300 steps" in status(ending)
    limited = replace(session, progress=progress(steps=140, samples=500, target=1000, most_steps=200))
    assert "140 of ~200 steps" in status(limited)
    resting = replace(session, progress=progress(steps=200, samples=900, target=1000, most_steps=200))
    assert "all 200 steps taken, waiting for the others" in status(resting)


def test_who_has_computed_enough_with_weights_that_lack_the_last_step_is_told_what_it_waits_for() -> None:
    waiting = replace(training("helping", finished()), progress=progress(is_waiting=True))
    assert status(waiting, seconds_later=6).startswith(
        "Training · epoch 42 · waiting for the last step · averaged with "
    )


def test_a_wait_for_the_last_step_that_is_over_within_seconds_is_not_told() -> None:
    waiting = replace(training("helping", finished()), progress=progress(is_waiting=True))
    working = replace(waiting, progress=progress())
    moments = EventTimestamps()
    for second in range(12):  # waits and works in turn
        moments = moments.after(working if second % 4 == 3 else waiting, NOW + second)
        assert "waiting for the last step" not in sentences.status(waiting, moments, NOW + second)
    for second in range(12, 18):  # each report is another one, and the wait the same
        moments = moments.after(replace(waiting, progress=progress(is_waiting=True, samples=second)), NOW + second)
    assert "waiting for the last step" in sentences.status(waiting, moments, NOW + 17)


def test_an_exchange_beside_training_says_how_far_it_is() -> None:
    session = replace(training("helping", finished()), progress=progress(steps=7, exchanged_share=0.38))
    assert "exchanging (38 %) while training goes on" in status(session)
    assert "averaged with" not in status(session)


def test_a_round_of_long_ago_keeps_its_time_while_others_fail() -> None:
    session = training("helping", finished())
    moments = EventTimestamps().after(session, NOW)
    failed = replace(session, rounds=(*session.rounds, finished(ok=False, peers=1)))
    moments = moments.after(failed, NOW + 60)
    assert "averaged with 6 peers 80 s ago" in sentences.status(failed, moments, NOW + 80)


def test_a_round_without_a_step_is_not_told_as_averaged() -> None:
    session = training("helping", finished(), finished(stepped=False), finished(stepped=False))
    moments = EventTimestamps().after(replace(session, rounds=session.rounds[:1]), NOW).after(session, NOW + 60)
    assert "averaged with 6 peers 80 s ago" in sentences.status(session, moments, NOW + 80)
    assert "1 of the last 3 rounds" in contribution_status(session)


def test_what_is_not_known_is_left_out_or_said() -> None:
    session = replace(training(), progress=progress(next_step_seconds=None))
    assert status(session) == "Training · epoch 42 · not averaged with others yet"


def test_a_clock_that_jumps_back_gives_no_negative_times() -> None:
    assert "averaged with 6 peers 0 s ago · next round in ~50 s" in status(training("helping", finished()), -3600)


def test_training_alone_is_never_called_training_only() -> None:
    assert status(training("alone")).startswith("Training alone · epoch 42")
    without_step = status(training("without_step", finished(stepped=False)))
    assert without_step.startswith("Training, but nothing counts at present · epoch 42")
    assert "not averaged" not in without_step
    assert status(training("out_of_sync")).startswith("Catching up with the others · epoch 42")


def test_finishing_the_epoch_says_when_it_stops() -> None:
    session = replace(training("helping", finished()), finish_at_epoch=43)
    assert status(session).startswith("Finishing this epoch, then stopping · epoch 42")
    assert status(session).endswith("stops in ~50 s")


def ordered(session: Session, state: OrderState, reason: str = "The data moves house.") -> Session:
    """The same, once its organiser has asked all peers of the run for that."""
    order = Order(state=state, since=NOW, reason=reason)
    return replace(session, chosen=RunFound(manifest=tiny(), organiser="me", vouched=True, order=order))


def test_what_the_organiser_asks_of_all_comes_before_everything_else() -> None:
    when = figures.moment(NOW)
    session = training("helping", finished())
    assert status(ordered(session, "paused")) == f"The organiser paused the run {when}: The data moves house · epoch 42"
    assert status(ordered(session, "draining", "")).startswith("The organiser brings the run to a stop: everybody")
    gone = replace(session, phase="ended", left=Left())
    assert status(ordered(gone, "ended")) == (
        "The organiser has ended the run. Thank you for helping: The data moves house"
    )
    assert status(ordered(session, "running")) == status(session)


def test_pauses_say_whose_they_are_and_when_they_end() -> None:
    until = time.mktime(time.localtime(time.time())) // 86400 * 86400 + 43200
    texts = [
        status(replace(STARTING, phase="paused", pause=pause))
        for pause in (
            Pause("person", until),
            Pause("person", None),
            Pause("epoch_finished", None),
            Pause("sleep", None),
        )
    ]
    assert texts[0].startswith("Paused by you until ") and ":" in texts[0]
    assert texts[1] == "Paused by you until you resume"
    assert "as you asked" in texts[2]
    assert "sleeps" in texts[3]
    assert status(replace(STARTING, phase="leaving", pause=Pause("person", None))).startswith("Pausing")
    assert status(replace(STARTING, phase="leaving")).startswith("Leaving")


def test_a_download_says_how_far_it_is() -> None:
    loading = StateLoading(received_bytes=4_700_000, total_bytes=12_000_000)
    assert status(replace(STARTING, loading=loading)) == "Downloading the run's state · 4.7 MB of 12.0 MB · 39 %"
    endless = StateLoading(received_bytes=4_700_000, total_bytes=0)
    assert status(replace(STARTING, loading=endless)) == "Downloading the run's state · 4.7 MB"
    rest = StateLoading(what="rest", received_bytes=38_000, total_bytes=0)
    assert status(replace(STARTING, loading=rest)) == "Downloading the rest of the state from a peer · 38.0 KB"


def test_a_crash_says_when_the_next_attempt_begins() -> None:
    session = replace(JOINING, restarting=Restarting(attempt=2, seconds=4.0, last_attempt=5))
    assert status(session, seconds_later=1) == "The training process ended unexpectedly · attempt 2 of 5 starts in 3 s"
    assert status(session, seconds_later=4) == "The training process ended unexpectedly · starting again…"


def test_what_is_tried_for_ever_has_no_last_attempt() -> None:
    outage = Restarting(attempt=8, seconds=8.0, problem=ErrorKind.NOBODY_ANSWERS.key)
    session = replace(JOINING, consent=START, restarting=outage)
    assert status(session) == "Nobody answers just now · attempt 8 starts in 8 s"
    full = Restarting(attempt=2, seconds=4.0, problem="disk_full", detail=localized("%1 needs %2 GB.", "Llama", "7.10"))
    words = "The disk is full (Llama needs 7.10 GB) · attempt 2 starts in 4 s"
    assert status(replace(session, restarting=full)) == words


def test_the_way_to_training_has_its_words() -> None:
    assert status(Session()) == "Nothing is running"
    assert status(JOINING) == "Looking for the run…"
    assert status(STARTING) == "Starting the engine…"
    assert status(replace(STARTING, connected=Connected(peer_id="12D3KooWme", peers=2))) == "Getting ready to train…"
    assert status(replace(STARTING, phase="training")) == "Training begins…"


def test_the_end_has_its_words() -> None:
    assert status(replace(STARTING, phase="ended", left=Left())).startswith("You have left the run")
    failed = reduce(JOINING, Failed(problem=ErrorKind.NOBODY_ANSWERS.key))
    ended = replace(failed, phase="ended")
    assert status(ended) == f"Stopped · {problem_words.title_of(ErrorKind.NOBODY_ANSWERS)}"


def test_the_verdict_counts_rounds_that_were_averaged_with_others() -> None:
    rounds = (*(finished(),) * 14, finished(ok=False, reason="the leader went away"))
    assert (
        contribution_status(training("helping", *rounds))
        == "Yes, your computer is helping: 14 of the last 15 rounds averaged with others."
    )
    assert "the first round was averaged" in contribution_status(training("helping", finished()))


def test_whoever_does_not_help_is_told_the_workers_reason_harmlessly() -> None:
    reason = localized("None of %1 known addresses answers.", "3\x1b[31m")
    session = replace(training(), contribution_status=ContributionStatus(state="alone", reason=reason))
    assert contribution_status(session) == "None of 3[31m known addresses answers."


def test_before_the_first_round_nobody_is_told_that_they_help() -> None:
    assert contribution_status(training("starting")) == "said by the worker"
    assert "not known yet" in contribution_status(STARTING)
    assert "Nothing is being computed" in contribution_status(replace(training(), phase="ended"))
    assert contribution_status(replace(training(), phase="paused")) == "Paused: your computer is all yours."


def test_a_pause_by_the_rules_says_why_and_what_comes_next() -> None:
    blender, night = Reason("gpu", "Blender"), Reason("hours", until=datetime.fromtimestamp(NOW).astimezone())
    paused = replace(training(), phase="paused", pause=Pause("rule", rule=blender), progress=None)
    session = replace(paused, availability=Decision((blender,)))
    assert status(session) == "Paused: Blender is using this GPU · goes on 5 minutes after that ends"
    waiting = replace(paused, availability=Decision((night,)), pause=Pause("rule", rule=night))
    assert status(waiting).startswith("Waiting for ") and status(waiting).endswith("(your hours)")
    idle = replace(paused, availability=Decision((Reason("idle"),)), rules=AvailabilityRules(idle_minutes=7))
    assert status(idle) == "Waiting until nobody has used this computer for 7 minutes"


IGNORING = Decision((), ("battery",), datetime(2027, 1, 1, tzinfo=UTC), is_ignored_once=True)


def test_who_trains_slower_than_it_could_says_why() -> None:
    slow = replace(training("helping", finished()), consent=START, pace=Pace(0.6, None, "heat", 83.0, 80.0))
    assert status(slow).endswith(" · Slowed to 60 %: GPU at 83 °C, your limit is 80")
    assert "Slowed" not in status(replace(slow, phase="paused"))


def test_a_rule_that_is_ignored_is_named_while_it_would_ask() -> None:
    ignoring = replace(training("helping", finished()), consent=START, availability=IGNORING)
    assert status(ignoring).endswith(": battery") and " · ignored until it is over, or until " in status(ignoring)
    assert "ignored" not in status(replace(ignoring, phase="ended", problem=ErrorKind.OUT_OF_MEMORY))
