"""What is going on, in sentences: what the computer does now, and whether that helps."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.presentation import errors as problem_words
from app.presentation import format as figures
from app.presentation.timestamps import EventTimestamps, is_averaged
from app.presentation.worker_messages import said
from core.client.restart_policy import RestartPolicy
from core.client.session import Session
from core.errors import ErrorKind
from core.placeholders import fill_placeholders
from core.protocol.events import RoundFinished, StateLoading
from core.security.sanitize import sanitize_line

translate = QCoreApplication.translate  # lupdate knows it by this name only

_BETWEEN = " · "
_LONGEST_REASON = 300
_ATTEMPTS = len(RestartPolicy().delays_seconds)


def status(session: Session, moments: EventTimestamps, now: float) -> str:
    """What the computer is doing, why, and what comes next, in one sentence. ``now`` is time.time()."""
    if session.restarting:
        return _restarting(session, moments, now)
    match session.phase:
        case "connecting":
            return _connecting(session)
        case "found":
            return translate("Status", "The run is found; nothing is computed before you press Start")
        case "starting":
            return _starting(session)
        case "training":
            return _training(session, moments, now)
        case "leaving":
            return _leaving(session)
        case "paused":
            return _paused(session)
        case "ended":
            return _ended(session)
        case _:
            return translate("Status", "Nothing is running")


def _restarting(session: Session, moments: EventTimestamps, now: float) -> str:
    assert session.restarting is not None
    why = problem_words.setback(ErrorKind.from_key(session.restarting.problem))
    seconds = moments.seconds_to_restart(now)
    if seconds is not None and seconds < 1:
        return _BETWEEN.join((why, translate("Status", "starting again…")))
    attempt = fill_placeholders(
        translate("Status", "attempt %1 of %2 starts in %3"),
        figures.count(session.restarting.attempt),
        figures.count(_ATTEMPTS),
        figures.time(session.restarting.seconds if seconds is None else seconds),
    )
    return _BETWEEN.join((why, attempt))


def _connecting(session: Session) -> str:
    if session.consent is not None:
        return translate("Status", "Connecting to the run again…")
    return translate("Status", "Looking for the run…")


def _starting(session: Session) -> str:
    if session.loading is not None:
        return loading(session.loading)
    if session.connected is None:
        return translate("Status", "Starting the engine…")
    return translate("Status", "Getting ready to train…")


def loading(event: StateLoading) -> str:
    """How far the download is: ``Downloading the run's state · 4.7 MB of 12.0 MB · 39 %``."""
    received = figures.size(event.received_bytes)
    if not event.total_bytes:
        return fill_placeholders(translate("Status", "Downloading the run's state · %1"), received)
    words = (
        translate("Status", "Downloading the run's state · %1 of %2 · %3")
        if event.what == "state"
        else translate("Status", "Downloading the run's data and model · %1 of %2 · %3")
    )
    return fill_placeholders(
        words,
        received,
        figures.size(event.total_bytes),
        figures.share(min(1.0, event.received_bytes / event.total_bytes)),
    )


def _training(session: Session, moments: EventTimestamps, now: float) -> str:
    if session.progress is None:
        keeps = session.training is None and session.published is not None
        if keeps:
            return translate("Status", "Keeping the run published")
        return translate("Status", "Training begins…")
    epoch = fill_placeholders(translate("Status", "epoch %1"), figures.count(session.progress.epoch))
    parts = [_activity(session), epoch, _averaged(session, moments, now), _next(session, moments, now)]
    return _BETWEEN.join(part for part in parts if part)


def _activity(session: Session) -> str:
    if session.is_finishing:
        return translate("Status", "Finishing this epoch, then stopping")
    match session.contribution_status.state if session.contribution_status else None:
        case "alone":
            return translate("Status", "Training alone")
        case "out_of_sync":
            return translate("Status", "Catching up with the others")
        case _:
            return translate("Status", "Training")


def _averaged(session: Session, moments: EventTimestamps, now: float) -> str:
    """``averaged with 6 peers 12 s ago``."""
    seconds = moments.averaged_seconds_ago(now)
    if moments.averaged is None or seconds is None:
        return translate("Status", "not averaged with others yet")
    words = translate("Status", "averaged with %n peers %1 ago", "", moments.averaged.peers - 1)
    return fill_placeholders(words, figures.time(seconds) if seconds < 60 else figures.about(seconds))


def _next(session: Session, moments: EventTimestamps, now: float) -> str:
    """``next round in ~40 s``; nothing where nobody can know."""
    if session.contribution_status is not None and session.contribution_status.state == "out_of_sync":
        return ""
    seconds = moments.seconds_to_next_round(now)
    if seconds is None:
        return ""
    if session.is_finishing:
        return fill_placeholders(translate("Status", "stops in ~%1"), figures.about(seconds))
    if seconds < 1:
        return translate("Status", "next round any moment now")
    return fill_placeholders(translate("Status", "next round in ~%1"), figures.about(seconds))


def _leaving(session: Session) -> str:
    if session.pause is not None:
        return translate("Status", "Pausing · saying goodbye to the swarm…")
    return translate("Status", "Leaving · saying goodbye to the swarm…")


def _paused(session: Session) -> str:
    if session.pause is None:
        return translate("Status", "Paused")
    match session.pause.reason:
        case "epoch_finished":
            return translate("Status", "Paused after the epoch, as you asked · Resume goes on")
        case "sleep":
            return translate("Status", "Paused while the computer sleeps · goes on when it wakes")
        case "person" if session.pause.until is not None:
            return fill_placeholders(translate("Status", "Paused by you until %1"), figures.clock(session.pause.until))
        case _:
            return translate("Status", "Paused by you until you resume")


def _ended(session: Session) -> str:
    if session.problem is not None:
        return fill_placeholders(translate("Status", "Stopped · %1"), problem_words.title_of(session.problem))
    if session.left is not None:
        return translate("Status", "You have left the run · goodbye was said")
    return translate("Status", "Nothing is running")


def contribution_status(session: Session) -> str:
    """Whether this computer helps; where it does not, why not, as the worker says."""
    if session.phase != "training" or session.contribution_status is None:
        return _no_verdict(session)
    match session.contribution_status.state:
        case "helping":
            return _helping(session.rounds)
        case "alone" | "out_of_sync" | "starting":
            return sanitize_line(said(session.contribution_status.reason), _LONGEST_REASON)


def _no_verdict(session: Session) -> str:
    if session.phase == "paused":
        return translate("Verdict", "Paused: your computer is all yours.")
    if session.phase in ("idle", "leaving", "ended"):
        return translate("Verdict", "Nothing is being computed on this computer.")
    return translate("Verdict", "Whether your computer helps is not known yet.")


def _helping(rounds: tuple[RoundFinished, ...]) -> str:
    averaged = sum(map(is_averaged, rounds))
    if averaged == len(rounds) == 1:
        return translate("Verdict", "Yes, your computer is helping: the first round was averaged with others.")
    return fill_placeholders(
        translate(
            "Verdict",
            "Yes, your computer is helping: %1 of the last %n rounds were averaged with others.",
            "",
            len(rounds),
        ),
        figures.count(averaged),
    )


def others(session: Session) -> int:
    """How many peers of the run are somebody else."""
    if session.progress is not None:
        return session.progress.peers - 1
    return sum(not peer.is_me for peer in session.peers)
