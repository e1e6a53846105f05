"""Whether something is wrong while training, and the one thing that a person can do about it."""

from __future__ import annotations

from dataclasses import dataclass

from app.presentation.error_actions import button_of
from core.client.event_timestamps import is_averaged
from core.client.restart_policy import GPU_FAILURES
from core.client.session import Session
from core.errors import ErrorKind
from core.hardware.monitor import DevicesSeen
from core.localizable import Detail
from core.security.sanitize import sanitize_line
from core.texts import errors as problem_words
from core.texts.contributions.status import contribution_status, others
from core.texts.localization import translate
from core.texts.worker_messages import translate_message

_FAILED_ROUNDS = 3


@dataclass(frozen=True)
class Alert:
    """``problem_key`` is what the button is about; a ``grave`` one has ended the training."""

    problem_key: str
    title: str
    detail: str
    advice: str
    button: str
    is_grave: bool = False


def alert_of(session: Session, seen: DevicesSeen | None, dismissed: frozenset[Alert]) -> Alert | None:
    """Return the gravest alert that has not been dismissed; ``None`` when all is well."""
    if session.problem is not None:
        return _alert(session.problem, session.problem_detail, is_grave=True)
    found = (_of_crash(session), _of_driver(session, seen), _of_rounds(session), *_of_warnings(session))
    return next((alert for alert in found if alert and alert not in dismissed), None)


def _alert(problem: ErrorKind, detail: Detail, *, is_grave: bool = False) -> Alert:
    return Alert(
        problem.key,
        problem_words.title_of(problem),
        sanitize_line(translate_message(detail), 300),
        problem_words.advice_of(problem),
        button_of(problem),
        is_grave,
    )


def _of_crash(session: Session) -> Alert | None:
    if session.restarting is None:
        return None
    problem = ErrorKind.from_key(session.restarting.problem)
    advice = translate("Alert", "Workerbee tries again by itself; what you have given is counted.")
    if problem in GPU_FAILURES:
        advice = f"{advice} {problem_words.advice_of(ErrorKind.GPU_UNUSABLE)}"
    if problem is ErrorKind.DISK_FULL:
        advice = f"{problem_words.advice_of(problem)} {advice}"
    # not the problem's own button: nothing is to be done but to wait, or to see why
    log = ErrorKind.WORKER_CRASHED
    return Alert(log.key, f"{problem_words.why_restarting(session.restarting)}.", "", advice, button_of(log))


def _of_driver(session: Session, seen: DevicesSeen | None) -> Alert | None:
    uses_gpu = session.consent is not None and session.consent.device != "cpu"
    if seen is None or seen.is_driver_answering or not uses_gpu or session.phase != "training":
        return None
    return Alert(
        ErrorKind.INTERNAL.key,
        translate("Alert", "The GPU's driver does not answer."),
        "",
        translate("Alert", "If it stays so, restart the computer; the log tells what training makes of it."),
        button_of(ErrorKind.INTERNAL),
    )


def _of_rounds(session: Session) -> Alert | None:
    """Others are there, and yet nothing is averaged with them."""
    latest = session.rounds[-_FAILED_ROUNDS:]
    is_alone = session.contribution_status is not None and session.contribution_status.state == "alone"
    is_failing = len(latest) == _FAILED_ROUNDS and not any(map(is_averaged, latest))
    if session.phase != "training" or not is_alone or not is_failing or others(session) <= 0:
        return None
    return Alert(
        ErrorKind.NOT_REACHABLE.key,
        contribution_status(session),
        "",
        translate("Alert", "If it stays so, try another network mode."),
        button_of(ErrorKind.NOT_REACHABLE),
    )


def _of_warnings(session: Session) -> list[Alert]:
    """The newest first."""
    return [_alert(ErrorKind.from_key(each.problem), each.detail) for each in reversed(session.warnings)]
