"""Whether this computer helps a run, judged by the averaging rounds that were seen."""

from __future__ import annotations

from core.client.event_timestamps import is_averaged
from core.client.session import Session
from core.placeholders import fill_placeholders
from core.protocol.events import RoundFinished
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.localization import translate
from core.texts.worker_messages import translate_message

_LONGEST_REASON = 300


def contribution_status(session: Session) -> str:
    """Return the sentence that says whether this computer helps; where it does not, the worker's reason."""
    if session.phase != "training" or session.contribution_status is None:
        return _no_verdict(session)
    match session.contribution_status.state:
        case "helping":
            return _helping(session.rounds)
        case "alone" | "without_step" | "out_of_sync" | "starting":
            return sanitize_line(translate_message(session.contribution_status.reason), _LONGEST_REASON)


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


def others(session: Session) -> int:
    """Return the number of peers of the run other than this computer."""
    if session.progress is not None:
        return session.progress.peers - 1
    return sum(not peer.is_me for peer in session.peers)
