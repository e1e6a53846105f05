"""What is worth a word from the desktop while nobody looks at the window: little."""

from __future__ import annotations

from dataclasses import dataclass

from core.client.session import Session
from core.errors import ErrorKind
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts.errors import advice_of, title_of
from core.texts.localization import translate
from core.texts.run_order import switch_words

_LONGEST_NAME = 60
_PUNCTUAL_SECONDS = 2.0


@dataclass(frozen=True)
class Notice:
    """A title, and a sentence or two."""

    title: str
    words: str


def notice_of(before: Session, after: Session, now: float) -> Notice | None:
    """Return the notification for the change from ``before`` to ``after``; ``now`` is ``time.time()``."""
    if after.problem is not None and before.problem is None:
        return _closed(after) if after.problem is ErrorKind.RUN_NOT_OPEN else _trouble(after.problem)
    if _state(after) != _state(before) and _state(after) in ("paused", "draining", "finished") and _state(before):
        return _closed(after)
    if after.is_changed and not before.is_changed:
        title = translate("Notice", "The organiser has changed the run")
        return Notice(title, translate("Notice", "Nothing is computed before you have looked at it and agreed again."))
    if after.switch is not None and after.switch != before.switch:
        return Notice(translate("Notice", "Helping another run"), f"{switch_words(after.switch)}.")
    if _is_snooze_over(before, after, now):
        words = translate("Notice", "The pause is over; your computer goes back to work.")
        return Notice(translate("Notice", "Training again"), words)
    return None


def _state(session: Session) -> str:
    if session.order.state in ("paused", "draining"):
        return session.order.state
    return session.chosen.manifest.run.state if session.chosen else ""


def _is_snooze_over(before: Session, after: Session, now: float) -> bool:
    """The clock has ended the pause, not the person."""
    if before.pause is None or after.pause is not None or after.phase not in ("connecting", "starting"):
        return False
    return before.pause.until is not None and now >= before.pause.until - _PUNCTUAL_SECONDS


def _trouble(problem: ErrorKind) -> Notice:
    return Notice(title_of(problem), advice_of(problem))


def _closed(session: Session) -> Notice:
    """In our words, with the organiser's, if there are any."""
    run = session.chosen.manifest.run if session.chosen else None
    name = sanitize_line(run.name, _LONGEST_NAME) if run else ""
    if _state(session) == "draining":
        title = translate("Notice", "The organiser brings the run to a stop")
        words = translate("Notice", "Your computer finishes this epoch of “%1”, and then leaves it.")
    elif _state(session) == "paused":
        title = translate("Notice", "The organiser has paused the run")
        words = translate("Notice", "“%1” takes a rest. Your computer has nothing to do for it now.")
    else:
        title = translate("Notice", "The run is finished")
        words = translate("Notice", "“%1” has ended. Thank you for helping.")
    if not name:
        return Notice(title, "")
    said = sanitize_line(session.order.reason or (run.notice if run else ""), 200)
    return Notice(title, "\n".join(part for part in (fill_placeholders(words, name), said) if part))
