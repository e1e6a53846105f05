"""One immutable picture of what the worker is doing; every event makes the next one.

Nothing here starts, sends or measures anything, so replaying the same events gives the same picture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, assert_never

from core.messages import (
    AnyCommand,
    AnyEvent,
    Check,
    CheckpointSaved,
    Connected,
    EngineChecked,
    Evaluated,
    Failed,
    Hello,
    Join,
    Leave,
    Left,
    Network,
    PeerSeen,
    PeersSeen,
    Progress,
    Publish,
    Published,
    Restarting,
    RoundFinished,
    RunFound,
    SearchFinished,
    Start,
    StateLoading,
    TrainingStarted,
    Verdict,
    Warned,
)
from core.problems import Problem
from core.restarts import CRASHES

KEPT_ROUNDS = 15
KEPT_WARNINGS = 20

Phase = Literal["idle", "connecting", "found", "starting", "training", "leaving", "ended"]


@dataclass(frozen=True)
class Asked:
    """The client has given the worker this command."""

    command: AnyCommand


@dataclass(frozen=True)
class WorkerExited:
    """The worker and its whole family are gone; ``None`` where it could not be started at all."""

    returncode: int | None


@dataclass(frozen=True)
class RestartDue:
    """The wait before another attempt is over."""


ClientEvent = AnyEvent | Asked | WorkerExited | RestartDue
Opening = Join | Publish | Check


@dataclass(frozen=True)
class Session:
    """What a front end shows. ``None`` means "not known (yet)".

    A keeper, which publishes without training, is in the phase ``training`` too. A crash of the worker does
    not end the session, only a ``problem`` does; while ``restarting`` is set there is no worker.
    ``opening`` and ``consent`` are what a restarted worker is told again. ``first_epoch`` is where we began;
    ``earlier_samples`` is the part of ``contributed_samples`` that earlier workers of this session computed.
    """

    phase: Phase = "idle"
    opening: Opening | None = None
    consent: Start | None = None
    is_worker_running: bool = False
    hello: Hello | None = None
    engine: EngineChecked | None = None
    connected: Connected | None = None
    network: Network | None = None
    runs: tuple[RunFound, ...] = ()
    is_search_finished: bool = False
    chosen: RunFound | None = None
    published: Published | None = None
    loading: StateLoading | None = None
    training: TrainingStarted | None = None
    progress: Progress | None = None
    rounds: tuple[RoundFinished, ...] = ()
    verdict: Verdict | None = None
    evaluated: Evaluated | None = None
    peers: tuple[PeerSeen, ...] = ()
    checkpoint: CheckpointSaved | None = None
    first_epoch: int | None = None
    epochs_done: int = 0
    contributed_samples: int = 0
    earlier_samples: int = 0
    warnings: tuple[Warned, ...] = ()
    left: Left | None = None
    crash: Failed | None = None
    restarting: Restarting | None = None
    problem: Problem | None = None
    problem_detail: str = ""

    def found(self, run_id: str, organiser: str) -> RunFound | None:
        """The found run with that id by that organiser."""
        same = (run for run in self.runs if (run.manifest.run.id, run.organiser) == (run_id, organiser))
        return next(same, None)

    @property
    def is_crashed(self) -> bool:
        """The worker is gone although nothing has ended: somebody must decide what follows."""
        return not self.is_worker_running and self.restarting is None and self.phase not in ("idle", "ended")


def after(session: Session, event: ClientEvent) -> Session:
    """The picture once ``event`` has happened."""
    match event:
        case Asked():
            return _after_command(session, event.command)
        case Hello() | EngineChecked() | Connected() | Network() | SearchFinished() | Published() | Warned():
            return _after_news(session, event)
        case RunFound():
            return _after_run(session, event)
        case StateLoading() | TrainingStarted() | Progress() | RoundFinished():
            return _after_work(session, event)
        case PeersSeen() | Verdict() | Evaluated() | CheckpointSaved():
            return _after_report(session, event)
        case Failed() | Left() | WorkerExited() | Restarting() | RestartDue():
            return _after_setback(session, event)
        case _:
            assert_never(event)


def _after_command(session: Session, command: AnyCommand) -> Session:
    match command:
        case Join():
            return Session(phase="connecting", opening=command, is_worker_running=True)
        case Publish() | Check():
            return Session(phase="starting", opening=command, is_worker_running=True)
        case Start():
            chosen = session.found(command.run_id, command.organiser)
            is_possible = session.phase == "found" and session.is_worker_running
            started: Phase = "starting" if is_possible else session.phase
            return replace(session, phase=started, consent=command, chosen=chosen or session.chosen)
        case Leave():
            phase: Phase = "leaving" if session.is_worker_running else "ended"
            return replace(session, phase=phase, restarting=None, crash=None)
        case _:
            assert_never(command)


_News = Hello | EngineChecked | Connected | Network | SearchFinished | Published | Warned


def _after_news(session: Session, event: _News) -> Session:
    match event:
        case Hello():
            return replace(session, hello=event)
        case EngineChecked():
            return replace(session, engine=event)
        case Connected():
            return replace(session, connected=event)
        case Network():
            return replace(session, network=event)
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
    return replace(session, runs=runs, chosen=chosen, phase=phase)


def _is_same(one: RunFound, other: RunFound) -> bool:
    return (one.manifest.run.id, one.organiser) == (other.manifest.run.id, other.organiser)


_Work = StateLoading | TrainingStarted | Progress | RoundFinished


def _after_work(session: Session, event: _Work) -> Session:
    match event:
        case StateLoading():
            return replace(session, loading=event)
        case TrainingStarted():
            return replace(_at_epoch(_at_work(session), event.epoch), training=event, loading=None)
        case Progress():
            at_work = _at_epoch(_at_work(session), event.epoch)
            return replace(_with_samples(at_work, event), progress=event, loading=None)
        case RoundFinished():
            return replace(session, rounds=(*session.rounds, event)[-KEPT_ROUNDS:])
        case _:
            assert_never(event)


def _at_work(session: Session) -> Session:
    return replace(session, phase="training") if session.phase == "starting" else session


def _at_epoch(session: Session, epoch: int) -> Session:
    first = epoch if session.first_epoch is None else session.first_epoch
    return replace(session, first_epoch=first, epochs_done=max(session.epochs_done, epoch - first))


def _with_samples(session: Session, event: Progress | Left) -> Session:
    """A worker counts its own samples from zero; what has been given is never taken back."""
    contributed = session.earlier_samples + event.contributed_samples
    return replace(session, contributed_samples=max(session.contributed_samples, contributed))


def _after_report(session: Session, event: PeersSeen | Verdict | Evaluated | CheckpointSaved) -> Session:
    match event:
        case PeersSeen():
            return replace(session, peers=event.peers)
        case Verdict():
            return replace(session, verdict=event)
        case Evaluated():
            return replace(session, evaluated=event)
        case CheckpointSaved():
            return replace(session, checkpoint=event)
        case _:
            assert_never(event)


_Setback = Failed | Left | WorkerExited | Restarting | RestartDue


def _after_setback(session: Session, event: _Setback) -> Session:
    match event:
        case Failed():
            return _after_failure(session, event)
        case Left():
            return replace(_with_samples(session, event), left=event)
        case WorkerExited():
            gone = replace(session, is_worker_running=False, earlier_samples=session.contributed_samples)
            return replace(gone, phase="ended") if _is_end(session) else gone
        case Restarting():
            return _without_worker(session, event) if session.is_crashed else session
        case RestartDue():
            due = session.restarting is not None
            return replace(session, is_worker_running=True, restarting=None) if due else session
        case _:
            assert_never(event)


def _after_failure(session: Session, event: Failed) -> Session:
    """What another attempt may mend is a crash; the rest is final, and the first final problem counts."""
    if session.problem is not None or session.phase in ("idle", "ended"):
        return session
    problem = Problem.from_key(event.problem)
    if problem in CRASHES and session.is_worker_running and may_restart(session):
        return replace(session, crash=event)
    phase: Phase = session.phase if session.is_worker_running else "ended"
    return replace(session, problem=problem, problem_detail=event.detail, phase=phase, restarting=None)


def may_restart(session: Session) -> bool:
    """Whether the session should outlive its worker: not if it is leaving, and not for a mere check."""
    return session.phase != "leaving" and not isinstance(session.opening, Check)


def _is_end(session: Session) -> bool:
    """Whether a worker that exits now has come to its end, rather than crashed."""
    is_checked = isinstance(session.opening, Check) and session.engine is not None
    said_so = session.left is not None or session.problem is not None
    return session.phase in ("idle", "leaving", "ended") or said_so or is_checked


def _without_worker(session: Session, restarting: Restarting) -> Session:
    """What the dead worker said of its surroundings no longer holds; what was achieved stays."""
    return replace(
        session,
        phase="connecting" if isinstance(session.opening, Join) else "starting",
        restarting=restarting,
        crash=None,
        connected=None,
        network=None,
        runs=(),
        is_search_finished=False,
        published=None,
        loading=None,
        training=None,
        progress=None,
        verdict=None,
        peers=(),
    )
