"""Output for programs: a JSON object a line on stdout, each with the key ``event``, and nothing else."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

import msgspec

from core.cli.output.summary import Tally
from core.client.session import Session
from core.errors import UserError
from core.protocol.client_events import AvailabilityDecided, ClientEvent, EarlierRunReopened, RunContinued
from core.protocol.codec import encode
from core.protocol.events import Failed
from core.protocol.types import Event
from core.texts import event_log

# control and bidirectional characters, which a terminal obeys; to JSON they are the same when escaped
_CONTROL = re.compile(r"[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


class JsonDisplay:
    """Prints every event that is in the protocol; ``peer`` names one of several sessions in each of its lines."""

    def __init__(self, peer: str = "") -> None:
        self._peer = peer
        self._has_printed_failure = False

    def handle_event(self, event: ClientEvent, session: Session) -> None:
        """Print the event; a failure that the client itself has found is printed as the worker's would be."""
        if isinstance(event, Event):
            self._has_printed_failure |= isinstance(event, Failed)
            print_event(event, self._peer)
        elif isinstance(event, AvailabilityDecided):
            _print_decision(event)
        elif isinstance(event, RunContinued | EarlierRunReopened):
            self._has_printed_failure = False
            _print_change(event)
        if session.problem is not None and not self._has_printed_failure:
            self._has_printed_failure = True
            print_event(Failed(problem=session.problem.key, detail=session.problem_detail), self._peer)

    def refresh(self, session: Session, tally: Tally) -> None:
        """Print nothing: passing time is not an event."""


def print_event(event: Event, peer: str = "") -> None:
    """Print an event of the protocol as one line, with the name of the peer if there is one."""
    _print_line({**msgspec.to_builtins(event), "peer": peer} if peer else event)


def print_object(event: str, **fields: object) -> None:
    """Print the result of a command, or a part of it, as one line; ``event`` names its kind."""
    _print_line({"event": event, **fields})


def print_failure(error: UserError) -> None:
    """Print an error that no session has printed, as the event ``failed``."""
    print_event(Failed(problem=error.problem.key, detail=error.detail))


def _print_decision(decided: AvailabilityDecided) -> None:
    """Print that the owner's rules have decided otherwise, and why."""
    reason, words = decided.decision.reason, event_log.line(decided)
    print_object("availability", free=reason is None, rule=reason.rule if reason else "", words=words)


def _print_change(event: RunContinued | EarlierRunReopened) -> None:
    """Print that another run of the order is helped, or which earlier one can be helped again, and why."""
    words = event_log.line(event) or ""
    if isinstance(event, EarlierRunReopened):
        print_object("reopened", run=event.name, at=event.at, words=words)
    elif event.switch is not None:
        switch = event.switch
        run, before = event.consent.run_id, switch.before
        print_object("switched", run=run, name=switch.to, before=before, reason=switch.reason, words=words)


def _print_line(message: Event | Mapping[str, object]) -> None:
    line = encode(message).decode("utf-8")
    sys.stdout.write(_CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", line))
    sys.stdout.flush()
