"""The reducer of a session: ``reduce(session, event)`` is the state after an event.

Nothing here starts, sends or measures anything, so replaying the same events gives the same picture.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

import msgspec

from core.client.pausing import after_order, after_wish, as_rules_ask, asked_again, in_peace
from core.client.session import KEPT_ROUNDS, KEPT_WARNINGS, Phase, Session
from core.client.setbacks import after_setback
from core.protocol.client_events import (
    Asked,
    AvailabilityDecided,
    ClientEvent,
    EarlierRunReopened,
    FinishAsked,
    Opening,
    PauseAsked,
    RestartDue,
    ResumeAsked,
    RunContinued,
    WorkerExited,
)
from core.protocol.commands import (
    Check,
    DryRun,
    Export,
    Join,
    Leave,
    Publish,
    Push,
    SetPace,
    Start,
    TestNetwork,
)
from core.protocol.events import (
    CaughtUp,
    CheckpointSaved,
    Confined,
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
    Progress,
    Published,
    Pushed,
    ReceiptSeen,
    Restarting,
    RoundFinished,
    RunFound,
    RunScored,
    SearchFinished,
    StateLoading,
    TrainingStarted,
    Warned,
)
from core.protocol.experts import ExpertsSeen
from core.protocol.limits import Paced, Traffic
from core.protocol.peers import PeersSeen, SuspectsSeen
from core.run.consent import is_agreed


def reduce(session: Session, event: ClientEvent) -> Session:
    """The session after an event has happened; pure, for any order of events."""
    match event:
        case Asked():
            return _after_command(session, event)
        case Hello() | Confined() | EngineChecked() | Connected() | Network() | LineMeasured() | Paced():
            return _after_self_description(session, event)
        case SearchFinished() | Published() | Warned():
            return _after_news(session, event)
        case RunFound():
            return _after_run(session, event)
        case StateLoading() | TrainingStarted() | Progress() | Traffic() | RoundFinished() | CaughtUp():
            return _after_work(session, event)
        case (
            PeersSeen()
            | SuspectsSeen()
            | ExpertsSeen()
            | ContributionStatus()
            | Evaluated()
            | RunScored()
            | ReceiptSeen()
            | CheckpointSaved()
            | FitMeasured()
            | Exported()
            | Pushed()
        ):
            return _after_report(session, event)
        case Failed() | Left() | WorkerExited() | Restarting() | RestartDue():
            return after_setback(session, event)
        case PauseAsked() | ResumeAsked() | FinishAsked() | AvailabilityDecided():
            return after_wish(session, event)
        case RunContinued() | EarlierRunReopened():
            return after_order(session, event)
        case _:
            assert_never(event)


def _after_command(session: Session, event: Asked) -> Session:
    match command := event.command:
        case Join():
            return replace(_new(session, "connecting", command), waits_for_room=event.waits_for_room)
        case Publish() | Check() | DryRun() | Export() | Push():
            return _new(session, "starting", command)
        case Start():
            return _after_consent(session, command, event.shown)
        case Leave():
            phase: Phase = "leaving" if session.is_worker_running else "ended"
            return replace(in_peace(session), phase=phase, pause=None)
        case TestNetwork():
            return replace(session, network=_being_tested(session.network))
        case SetPace():
            return session
        case _:
            assert_never(command)


def _new(before: Session, phase: Phase, opening: Opening) -> Session:
    """A new session, of which no more is known than what the owner's rules have decided, and the line carried."""
    return Session(
        phase=phase,
        opening=opening,
        is_worker_running=True,
        availability=before.availability,
        rules=before.rules,
        pace=before.pace,
        traffic=before.traffic,
        earlier_traffic=before.traffic,
    )


def _after_consent(session: Session, consent: Start, shown: RunFound | None) -> Session:
    """What was ``shown`` is agreed to; where the run has become another meanwhile, the person is asked again."""
    found = session.found(consent.run_id, consent.organiser)
    agreed = replace(session, agreed=shown or session.agreed or found)
    if found is not None and not is_agreed(found.manifest, consent.digest):
        return asked_again(agreed)
    is_possible = session.phase == "found" and session.is_worker_running
    started: Phase = "starting" if is_possible else session.phase
    return as_rules_ask(replace(agreed, phase=started, consent=consent, chosen=found or session.chosen))


def _being_tested(network: Network | None) -> Network | None:
    return None if network is None else msgspec.structs.replace(network, test="running")


_SelfDescription = Hello | Confined | EngineChecked | Connected | Network | LineMeasured | Paced


def _after_self_description(session: Session, event: _SelfDescription) -> Session:
    match event:
        case Hello():
            return replace(session, hello=event)
        case Confined():
            return replace(session, confined=event)
        case EngineChecked():
            return replace(session, engine=event)
        case Connected():
            return replace(session, connected=event)
        case Network():
            return replace(session, network=event)
        case LineMeasured():
            is_upload = event.direction == "upload"
            return replace(session, upload=event) if is_upload else replace(session, download=event)
        case Paced():
            return session
        case _:
            assert_never(event)


def _after_news(session: Session, event: SearchFinished | Published | Warned) -> Session:
    match event:
        case SearchFinished():
            return replace(session, is_search_finished=True)
        case Published():
            keeps = isinstance(session.opening, Publish) and not session.opening.train
            phase: Phase = "training" if keeps and session.phase == "starting" else session.phase
            return replace(session, published=event, phase=phase)
        case Warned():
            others = tuple(warning for warning in session.warnings if warning != event)
            return replace(session, warnings=(*others, event)[-KEPT_WARNINGS:])
        case _:
            assert_never(event)


def _after_run(session: Session, run: RunFound) -> Session:
    """A run that was known is replaced by what is said of it now."""
    known = session.found(run.manifest.run.id, run.organiser)
    others = tuple(run if other is known else other for other in session.runs)
    runs = others if known else (*session.runs, run)
    chosen = run if session.chosen is not None and _is_same(session.chosen, run) else session.chosen
    phase: Phase = "found" if session.phase == "connecting" else session.phase
    after = replace(session, runs=runs, chosen=chosen, phase=phase)
    return asked_again(after) if _is_other_than_agreed(after, run) else after


def _is_other_than_agreed(session: Session, run: RunFound) -> bool:
    """Whether a worker that is to go on has found something else under the name that was agreed to.

    Whoever trains already goes on with what was agreed to, whatever is published meanwhile.
    """
    consent = session.consent
    if consent is None or session.phase != "found" or session.found(consent.run_id, consent.organiser) is not run:
        return False
    return not is_agreed(run.manifest, consent.digest)


def _is_same(one: RunFound, other: RunFound) -> bool:
    return (one.manifest.run.id, one.organiser) == (other.manifest.run.id, other.organiser)


_Work = StateLoading | TrainingStarted | Progress | Traffic | RoundFinished | CaughtUp


def _after_work(session: Session, event: _Work) -> Session:
    match event:
        case StateLoading():
            return replace(session, loading=event)
        case TrainingStarted():
            return replace(_at_epoch(_at_work(session), event.epoch), training=event, loading=None)
        case Progress():
            at_work = _at_epoch(_with_share(_at_work(session), event), event.epoch)
            counted = replace(at_work, contributed_samples=session.contributed_with(event)).with_traffic(event)
            return replace(counted, progress=event, loading=None)
        case Traffic():
            return session.with_traffic(event)
        case RoundFinished():
            return replace(session, rounds=(*session.rounds, event)[-KEPT_ROUNDS:])
        case CaughtUp():
            return session
        case _:
            assert_never(event)


def _at_work(session: Session) -> Session:
    return replace(session, phase="training") if session.phase == "starting" else session


def _at_epoch(session: Session, epoch: int) -> Session:
    first = epoch if session.first_epoch is None else session.first_epoch
    done = max(session.epochs_done, epoch - first)
    if (first, done) == (session.first_epoch, session.epochs_done):
        return session
    return replace(session, first_epoch=first, epochs_done=done)


def _with_share(session: Session, event: Progress) -> Session:
    """A new epoch has begun: what was last told of the one before is how it ended.

    What others had computed is known some reports late; an epoch that no clock ends has all its samples.
    """
    before, agreed = session.progress, session.agreed
    if before is None or event.epoch <= before.epoch or before.samples == 0:
        return session
    is_timed = agreed is not None and agreed.manifest.collaboration.max_round_seconds is not None
    samples = before.samples if is_timed else max(before.samples, before.target)
    return replace(session, last_share=min(1.0, before.my_samples / samples))


_Answer = FitMeasured | Exported | Pushed
_Report = (
    PeersSeen
    | SuspectsSeen
    | ExpertsSeen
    | ContributionStatus
    | Evaluated
    | RunScored
    | ReceiptSeen
    | CheckpointSaved
    | _Answer
)


def _after_report(session: Session, event: _Report) -> Session:
    match event:
        case PeersSeen():
            return replace(session, peers=event.peers)
        case SuspectsSeen():
            return replace(session, suspects=event.suspects)
        case ExpertsSeen():
            return replace(session, experts=event)
        case ContributionStatus():
            return replace(session, contribution_status=event)
        case Evaluated():
            return session.with_evaluation(event)
        case RunScored():
            return replace(session, scored=event)
        case ReceiptSeen():
            return session.with_receipt(event)
        case CheckpointSaved():
            return replace(session, checkpoint=event)
        case FitMeasured():
            return replace(session, fit=event)
        case Exported():
            return replace(session, exported=event)
        case Pushed():
            return replace(session, pushed=event)
        case _:
            assert_never(event)
