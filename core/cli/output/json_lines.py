"""A session as the protocol's own lines on stdout: a JSON object a line, and nothing else."""

from __future__ import annotations

import re
import sys

from core.cli.output.summary import Tally
from core.client.session import Session
from core.errors import UserError
from core.protocol.client_events import ClientEvent
from core.protocol.codec import encode
from core.protocol.events import Failed
from core.protocol.types import Event

# what a terminal obeys, or turns the writing around: the same to JSON when it is escaped
_OBEYED = re.compile(r"[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


class JsonDisplay:
    """Prints every event that has a place in the protocol."""

    def __init__(self) -> None:
        self._has_told_failure = False

    def happened(self, event: ClientEvent, session: Session) -> None:
        """Print it; a failure that the client itself has found is told as the worker would."""
        if isinstance(event, Event):
            self._has_told_failure |= isinstance(event, Failed)
            print_event(event)
        if session.problem is not None and not self._has_told_failure:
            self._has_told_failure = True
            print_event(Failed(problem=session.problem.key, detail=session.problem_detail))

    def refresh(self, session: Session, tally: Tally) -> None:
        """Time alone is no event."""


def print_event(event: Event) -> None:
    """The event as one line."""
    sys.stdout.write(_OBEYED.sub(_escaped, encode(event).decode("utf-8")))
    sys.stdout.flush()


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def print_failure(error: UserError) -> None:
    """A failure that no session has told."""
    print_event(Failed(problem=error.problem.key, detail=error.detail))
