"""The part of the reducer that pauses and resumes: what a person wishes, and what the owner's rules ask."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from core.client.session import Phase, Session
from core.protocol.client_events import (
    AvailabilityDecided,
    EarlierRunReopened,
    FinishAsked,
    Pause,
    PauseAsked,
    ResumeAsked,
    RunContinued,
)
from core.protocol.commands import Join
from core.protocol.events import Restarting

Wish = PauseAsked | ResumeAsked | FinishAsked | AvailabilityDecided


def after_wish(session: Session, event: Wish) -> Session:
    """The session after a person has wished something, or the owner's rules have decided."""
    match event:
        case PauseAsked() if session.can_pause:
            return _paused(session, event.pause)
        case ResumeAsked() if session.phase == "paused" and event.of in (None, session.pause):
            return _resumed(session)
        case FinishAsked(is_wanted=True) if session.phase == "training" and session.progress is not None:
            return replace(session, finish_at_epoch=session.progress.epoch + 1)
        case FinishAsked(is_wanted=False):
            return replace(session, finish_at_epoch=None)
        case AvailabilityDecided():
            return as_rules_ask(replace(session, availability=event.decision, rules=event.rules, pace=event.pace))
        case PauseAsked() | ResumeAsked() | FinishAsked():
            return session  # there is nothing that this could mean now
        case _:
            assert_never(event)


def as_rules_ask(session: Session) -> Session:
    """The session paused or resumed as the owner's rules ask, unless a person has paused it."""
    rule, pause = session.rule_in_force, session.pause
    if rule is not None:
        wanted = Pause("rule", rule=rule)
        return session if pause == wanted else _paused(session, wanted)
    return _resumed(session) if session.is_held and session.phase == "paused" else session


def after_order(session: Session, event: RunContinued | EarlierRunReopened) -> Session:
    """The session after a run was chosen that was agreed to before; one that goes on is not interrupted by that."""
    if isinstance(event, EarlierRunReopened):
        return replace(session, reopened=event if event.name is not None else None)
    return _continued(session, event) if session.phase in ("idle", "ended") else session


def _continued(before: Session, event: RunContinued) -> Session:
    """The session of a run that goes on: looked for, or paused as it was before.

    It was interrupted by the end of the program, or begins in the place of another one.
    """
    resting = Session(
        phase="paused",
        opening=event.opening,
        consent=event.consent,
        agreed=event.agreed,
        chosen=event.agreed,
        pause=event.pause,
        is_continued=event.switch is None,
        switch=event.switch,
        availability=before.availability,
        rules=before.rules,
        pace=before.pace,
        traffic=before.traffic,
        earlier_traffic=before.traffic,
    )
    return resting if event.pause is not None else _resumed(resting)


def in_peace(session: Session) -> Session:
    """Nothing is to follow by itself any more."""
    return replace(session, restarting=None, crash=None, finish_at_epoch=None)


def asked_again(session: Session) -> Session:
    """Nothing of the run is computed before the person has agreed to what it has become."""
    return replace(in_peace(session), consent=None)


def begun_anew(session: Session, restarting: Restarting | None = None) -> Session:
    """What the worker before said of its surroundings no longer holds; what was achieved stays."""
    return replace(
        session,
        phase="connecting" if isinstance(session.opening, Join) else "starting",
        restarting=restarting,
        crash=None,
        left=None,
        connected=None,
        network=None,
        upload=None,
        download=None,
        runs=(),
        is_search_finished=False,
        published=None,
        loading=None,
        training=None,
        progress=None,
        contribution_status=None,
        peers=(),
        suspects=(),
        experts=None,
    )


def _paused(session: Session, pause: Pause) -> Session:
    phase: Phase = "leaving" if session.is_worker_running else "paused"
    return replace(in_peace(session), phase=phase, pause=pause)


def _resumed(session: Session) -> Session:
    """With another worker; where the rules ask for a pause, theirs takes the place of the one that has ended."""
    rule = replace(session, pause=None).rule_in_force
    if rule is not None:
        return replace(session, pause=Pause("rule", rule=rule))
    return replace(begun_anew(session), pause=None, is_worker_running=True)
