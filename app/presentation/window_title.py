"""What stands on the window's frame, and so in the task bar: how things are, with which run."""

from __future__ import annotations

from collections.abc import Sequence

from core.client.session import Session
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts.device import short_label_of
from core.texts.localization import translate
from core.texts.run import title_of

PROGRAM = "Workerbee"
_LONGEST_RUN = 80


SessionOfDevice = tuple[str, Session]
"""A device, by its label, and its session in the run."""


def window_title(first: Session, further: Sequence[SessionOfDevice] = ()) -> str:
    """Return ``Training · Sums — Workerbee``, or the program's name alone where nothing goes on."""
    words = announcement(first, further)
    return f"{words} — {PROGRAM}" if words else PROGRAM


def announcement(first: Session, further: Sequence[SessionOfDevice] = ()) -> str:
    """Return ``Training · Sums``, which a screen reader says when it changes; empty where nothing goes on.

    With several devices each state names its own: ``Training (GPU 0) · Paused (GPU 1) · Sums``.
    """
    label = first.consent.device if first.consent is not None else ""
    states = _states([(label, first), *further])
    run = sanitize_line(title_of(first.chosen), _LONGEST_RUN) if first.chosen else ""
    return " · ".join(part for part in (*states, run) if part) if states else ""


def _states(sessions: Sequence[SessionOfDevice]) -> list[str]:
    """What the devices do, in the order of the first that does so; those that do nothing are left out."""
    labels: dict[str, list[str]] = {}
    for label, session in sessions:
        if state := _state(session):
            labels.setdefault(state, []).append(label)
    if len(sessions) == 1:
        return list(labels)
    words = translate("WindowTitle", "%1 (%2)")
    return [fill_placeholders(words, state, _names(each)) for state, each in labels.items()]


def _names(labels: Sequence[str]) -> str:
    """Return ``GPU 0, GPU 2``."""
    return ", ".join(map(short_label_of, labels))


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
    if session.order.state == "paused":
        return translate("WindowTitle", "Paused by the organiser")
    if session.is_finishing:
        return translate("WindowTitle", "Finishing")
    match session.contribution_status.state if session.contribution_status else None:
        case "alone":
            return translate("WindowTitle", "Training alone")
        case "without_step":
            return translate("WindowTitle", "Nothing counts")
        case "out_of_sync":
            return translate("WindowTitle", "Catching up")
        case _:
            return translate("WindowTitle", "Training")
