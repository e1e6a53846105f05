"""What stands on the window's frame, and so in the task bar: how things are, with which run."""

from __future__ import annotations

from core.client.session import Session
from core.security.sanitize import sanitize_line
from core.texts.localization import translate
from core.texts.run import title_of

PROGRAM = "Workerbee"
_LONGEST_RUN = 80


def window_title(session: Session) -> str:
    """Return ``Training · Sums — Workerbee``, or the program's name alone where nothing goes on."""
    words = announcement(session)
    return f"{words} — {PROGRAM}" if words else PROGRAM


def announcement(session: Session) -> str:
    """Return ``Training · Sums``, which a screen reader says when it changes; empty where nothing goes on."""
    state = _state(session)
    run = sanitize_line(title_of(session.chosen), _LONGEST_RUN) if session.chosen else ""
    return " · ".join(part for part in (state, run) if part) if state else ""


def _state(session: Session) -> str:
    """One or two words; the status sentence has the rest."""
    if session.restarting is not None:
        return translate("WindowTitle", "Starting again")
    match session.phase:
        case "connecting" | "starting" if session.consent is not None:
            return translate("WindowTitle", "Starting")
        case "found" if session.is_changed:
            return translate("WindowTitle", "The run has changed")
        case "found" if session.is_search_finished:
            return translate("WindowTitle", "Ready to start")
        case "connecting" | "found":
            return translate("WindowTitle", "Searching")
        case "training":
            return _at_work(session)
        case "leaving" if session.pause is None:
            return translate("WindowTitle", "Leaving")
        case "leaving":
            return translate("WindowTitle", "Pausing")
        case "paused":
            return translate("WindowTitle", "Paused")
        case _:
            return translate("WindowTitle", "Stopped") if session.problem else ""


def _at_work(session: Session) -> str:
    if session.is_finishing:
        return translate("WindowTitle", "Finishing")
    match session.contribution_status.state if session.contribution_status else None:
        case "alone":
            return translate("WindowTitle", "Training alone")
        case "out_of_sync":
            return translate("WindowTitle", "Catching up")
        case _:
            return translate("WindowTitle", "Training")
