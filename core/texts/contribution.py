"""Whether this computer helps a run, judged by the averaging rounds that were seen."""

from __future__ import annotations

from itertools import takewhile

from core.client.event_timestamps import is_averaged
from core.client.session import Session
from core.placeholders import fill_placeholders
from core.protocol.events import RoundFinished
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.localization import translate
from core.texts.worker_messages import translate_message

_LONGEST_REASON = 160


def contribution_status(session: Session) -> str:
    """Return the sentence that says whether this computer helps, from the rounds of the session."""
    if session.phase != "training" or session.contribution_status is None:
        return _no_verdict(session)
    match session.contribution_status.state:
        case "helping":
            return _helping(session.rounds)
        case "alone":
            return _alone(session)
        case "out_of_sync":
            return translate("Verdict", "Not helping yet: we are behind the others and download their state.")
        case "starting":
            return _not_yet(session)


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
            "Yes, your computer is helping: %1 of the last %n round(s) averaged with others.",
            "",
            len(rounds),
        ),
        figures.count(averaged),
    )


def _alone(session: Session) -> str:
    if others(session) <= 0:
        return translate("Verdict", "Connected but alone: nobody else is training in this run right now.")
    failed = sum(1 for _ in takewhile(lambda each: not is_averaged(each), reversed(session.rounds)))
    words = translate("Verdict", "Connected but alone: the last %n round(s) averaged with nobody.", "", failed)
    return f"{words}{_reason(session)}"


def _not_yet(session: Session) -> str:
    if session.rounds:
        words = translate("Verdict", "Not helping yet: the first averaging did not come about.")
        return f"{words}{_reason(session)}"
    return translate(
        "Verdict",
        "Connected with %n other peer(s); the first averaging comes with the next step.",
        "",
        others(session),
    )


def _reason(session: Session) -> str:
    """Return the worker's reason of the last round that failed, in brackets."""
    failed = [each.reason for each in session.rounds if not is_averaged(each) and each.reason]
    return f" ({sanitize_line(translate_message(failed[-1]), _LONGEST_REASON).rstrip('.')})" if failed else ""


def others(session: Session) -> int:
    """Return the number of peers of the run other than this computer."""
    if session.progress is not None:
        return session.progress.peers - 1
    return sum(not peer.is_me for peer in session.peers)
