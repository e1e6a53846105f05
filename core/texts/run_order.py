"""Several runs in an order, in words: why one is helped, what follows it, and what is in the way of each."""

from __future__ import annotations

from core.client.event_timestamps import EventTimestamps
from core.client.session import Session
from core.placeholders import fill_placeholders
from core.protocol.client_events import EarlierRunReopened, Obstacle, RunContinued, RunSwitch
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.localization import translate
from core.texts.status import BETWEEN, status

_LONGEST_NAME = 60


def switch_words(switch: RunSwitch) -> str:
    """Return ``Helping “B”: “A” has ended``."""
    to, before = _short(switch.to), _short(switch.before)
    if switch.to == switch.before:
        return fill_placeholders(translate("RunOrder", "Helping “%1” again: it can be helped again"), to)
    if switch.reason == "reopened":
        words = translate("RunOrder", "Helping “%1” again: it comes before “%2” in your order")
        return fill_placeholders(words, to, before)
    words = translate("RunOrder", "Helping “%1”: %2")
    return fill_placeholders(words, to, _obstacle_of(before, switch.reason))


def _obstacle_of(name: str, obstacle: Obstacle) -> str:
    words = {
        "finished": translate("RunOrder", "“%1” has ended"),
        "paused": translate("RunOrder", "“%1” is paused by its organiser"),
        "unreachable": translate("RunOrder", "“%1” cannot be reached"),
        "unfit": translate("RunOrder", "“%1” does not fit this computer"),
        "changed": translate("RunOrder", "“%1” has changed and waits for your answer"),
        "failed": translate("RunOrder", "“%1” has ended with a problem"),
    }
    return fill_placeholders(words[obstacle], name)


def reopened_words(reopened: EarlierRunReopened) -> str:
    """Return ``“A” can be helped again: it follows when this run ends, or at 14:30``; empty where there is none."""
    if reopened.name is None:
        return ""
    if reopened.at is None:
        words = translate("RunOrder", "“%1” can be helped again: it follows when this run ends")
        return fill_placeholders(words, _short(reopened.name))
    words = translate("RunOrder", "“%1” can be helped again: it follows %2, or when this run ends")
    return fill_placeholders(words, _short(reopened.name), figures.moment(reopened.at))


def status_with_run(session: Session, timestamps: EventTimestamps, now: float) -> str:
    """Return the status sentence, and why this run is helped where it has taken the place of another."""
    sentence = status(session, timestamps, now)
    is_told = session.switch is not None and session.phase not in ("idle", "ended")
    return BETWEEN.join((sentence, switch_words(session.switch))) if is_told and session.switch else sentence


def order_line(event: RunContinued | EarlierRunReopened) -> str | None:
    """Return the line of the event log."""
    if isinstance(event, EarlierRunReopened):
        return f"{words}." if (words := reopened_words(event)) else None
    if event.switch is not None:
        return f"{switch_words(event.switch)}."
    return translate("EventLog", "The run goes on that was interrupted when Workerbee ended.")


def standing_words(obstacle: Obstacle | None) -> str:
    """Return what is in the way of a run, for its row in the order; empty for nothing."""
    if obstacle is None:
        return ""
    words = {
        "finished": translate("RunOrder", "finished by its organiser"),
        "paused": translate("RunOrder", "paused by its organiser"),
        "unreachable": translate("RunOrder", "cannot be reached"),
        "unfit": translate("RunOrder", "does not fit this computer"),
        "changed": translate("RunOrder", "changed: skipped until you have looked at it"),
        "failed": translate("RunOrder", "ended with a problem"),
    }
    return words[obstacle]


def _short(name: str) -> str:
    return sanitize_line(name, _LONGEST_NAME)
