"""What a model answers now to held-out questions, beside what it answered at first."""

from __future__ import annotations

from dataclasses import dataclass

from core.client.session import Session
from core.protocol.examples import Picture, Solved
from core.security.sanitize import sanitize_line

MOST_EXAMPLES = 3
_MOST_CHARACTERS = 120
_RIGHT, _WRONG = "✓", "✗"


@dataclass(frozen=True)
class Answer:
    """A question of whoever made the data, with the model's answer at first, where that is known, and now.

    Of a ``picture`` the question is what it shows.
    """

    question: str
    first: str
    now: str
    picture: Picture | None = None


@dataclass(frozen=True)
class Answers:
    """The answers of two epochs; those of ``first_epoch`` are empty until there is a later one."""

    first_epoch: int
    epoch: int
    answers: tuple[Answer, ...]


def compared_answers(session: Session) -> Answers | None:
    """Return the answers of the session's latest evaluation beside those of its first; ``None`` without any."""
    latest, first = session.evaluated, session.first_evaluated
    if latest is None or first is None or not any(each.question for each in latest.examples):
        return None
    then = {_asked(each): each for each in first.examples} if first.epoch < latest.epoch else {}
    shown = [each for each in latest.examples if each.question][:MOST_EXAMPLES]
    answers = (Answer(_line(each.question), _told(then.get(_asked(each))), _told(each), each.picture) for each in shown)
    return Answers(first.epoch, latest.epoch, tuple(answers))


def _asked(solved: Solved) -> tuple[str, Picture | None]:
    """What was asked: several pictures may be of one class."""
    return solved.question, solved.picture


def _told(solved: Solved | None) -> str:
    if solved is None:
        return ""
    return f"{_line(solved.answer)} {_RIGHT if solved.correct else _WRONG}".strip()


def _line(text: str) -> str:
    return sanitize_line(text, _MOST_CHARACTERS)
