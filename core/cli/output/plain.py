"""A session as plain lines, for output that is not a terminal and for the time before training."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from core.cli.output.summary import Tally, counted
from core.cli.output.wrapping import print_wrapped
from core.client.restart_policy import CRASHES, GPU_FAILURES
from core.client.session import Session
from core.errors import ErrorKind
from core.protocol.client_events import Asked, ClientEvent, RestartDue, RunContinued, WorkerExited
from core.protocol.commands import Join, Publish
from core.protocol.events import (
    ContributionStatus,
    Evaluated,
    Failed,
    Hello,
    Left,
    Network,
    Progress,
    RunFound,
    SearchFinished,
    StateLoading,
    TrainingStarted,
    Warned,
)
from core.security.sanitize import sanitize_line
from core.texts import event_log, figures
from core.texts import status as status_texts
from core.texts.experts import experts_words
from core.texts.run import edit_words, notice_of, order_words
from core.texts.run_sources import data_change_words
from core.texts.worker_messages import translate_message

MIN_SECONDS_BETWEEN_LINES = 5.0
_SHOWN_EXAMPLES = 6

# shown in another way, or of no interest at a terminal
_SILENT = Asked | Hello | SearchFinished | Failed | Left | RestartDue | WorkerExited


class PlainDisplay:
    """Prints a line for each event that matters, and the progress every few seconds and at every new epoch.

    Of a worker that has failed and is started again, it prints what has happened; a final failure is not printed here.
    """

    def __init__(self, stream: TextIO, name: str = "") -> None:
        self._stream = stream
        self._prefix = f"{name}: " if name else ""
        self._last_state: str | None = None
        self._last_epoch: int | None = None
        self._found: dict[str, RunFound] = {}  # as each run was told of last
        self._last_rare_line = ""
        self._limited_line_at = 0.0

    def handle_event(self, event: ClientEvent, session: Session) -> None:
        """Print the event's line if it is news; a warning goes to stderr."""
        match event:
            case Warned():
                print_wrapped(f"{self._prefix}Note: {event_log.line(event)}", sys.stderr)
            case ContributionStatus():
                if event.state != self._last_state:
                    self._print(event_log.line(event))
                self._last_state = event.state
            case RunFound():
                self._print_steering(event, session)
            case StateLoading():
                self._print_rarely(status_texts.loading(event))
            case Progress():
                self._print_progress(event, session)
            case Evaluated():
                self._print(event_log.line(event))
                if event.examples:
                    self._print(_examples(event))
            case Failed() if event == session.crash and ErrorKind.from_key(event.problem) in CRASHES | GPU_FAILURES:
                self._print(sanitize_line(translate_message(event.detail)))
            case Network() if isinstance(session.opening, Join) and session.opening.lists_peers:
                pass  # who only asks for the peers is there for seconds
            case RunContinued(switch=None):
                pass  # the service's run, or the first of an order: what it does is printed
            case _ if isinstance(event, _SILENT):
                pass
            case _:
                if isinstance(event, TrainingStarted):
                    self._last_epoch = event.epoch
                self._print(event_log.line(event))

    def refresh(self, session: Session, tally: Tally) -> None:
        """Print nothing: passing time is not an event."""

    def _print_steering(self, event: RunFound, session: Session) -> None:
        """Print what the organiser asks of all peers of our run, or says to them, from now on.

        What was so before is shown with the run; a volunteer who leaves because the run is over reads that at the end.
        """
        run_id = event.manifest.run.id
        before, self._found[run_id] = self._found.get(run_id), event
        if not isinstance(session.opening, Publish) and run_id != session.joined_run_id:
            return
        is_over = event.order.state == "ended" and not isinstance(session.opening, Publish)
        if not is_over and event.order.state != ("running" if before is None else before.order.state):
            is_running = event.order.state == "running"
            self._print("The organiser lets the run go on." if is_running else f"{order_words(event.order)}.")
        if before is not None and event.edits and event.edits != before.edits:
            self._print(f"{edit_words(event.edits[-1])}.")
        if before is not None and event.data_changes and event.data_changes != before.data_changes:
            self._print(f"{data_change_words(event.data_changes[-1])}.")
        notice = notice_of(event)
        if before is not None and notice and event.manifest.run.notice != before.manifest.run.notice:
            self._print(f"The organiser says: {notice}")

    def _print_progress(self, event: Progress, session: Session) -> None:
        if event.epoch != self._last_epoch:
            self._last_epoch = event.epoch
            self._limited_line_at = 0.0
        experts = f" Experts: {experts_words(session.experts)}." if session.experts else ""
        self._print_rarely(_progress(event) + experts)

    def _print_rarely(self, line: str) -> None:
        now = time.monotonic()
        if now - self._limited_line_at >= MIN_SECONDS_BETWEEN_LINES and line != self._last_rare_line:
            self._limited_line_at, self._last_rare_line = now, line
            self._print(line)

    def _print(self, line: str | None) -> None:
        if line:
            print_wrapped(f"{self._prefix}{line}", self._stream)


def _progress(event: Progress) -> str:
    period = "Epoch" if event.steps is None else "Round"
    return (
        f"{period} {event.epoch}: {figures.count(event.samples)} of {figures.count(event.target)} samples, "
        f"mine {figures.rate(event.samples_per_second)}, "
        f"swarm {figures.rate(event.swarm_samples_per_second)}, "
        f"{counted(event.peers, 'peer')}, loss {figures.loss(event.loss)}."
    )


def _examples(event: Evaluated) -> str:
    """The last examples of an evaluation, with a tick or a cross each."""
    shown = event.examples[:_SHOWN_EXAMPLES]
    return "   ".join(f"{'✓' if each.correct else '✗'} {sanitize_line(each.text, 100)}" for each in shown)
