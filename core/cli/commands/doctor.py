"""`doctor`: a table of what is in order on this computer, with advice where something is not."""

from __future__ import annotations

from collections.abc import Iterator

from core.cli.commands import diagnostics
from core.cli.commands.desktop_sources import desktop_sources
from core.cli.commands.diagnostics import Finding
from core.cli.commands.gpu_use_source import gpu_use
from core.cli.output.json_lines import JsonDisplay, print_object
from core.cli.output.summary import Tally
from core.cli.parser.arguments import Doctor
from core.cli.runner.context import CommandContext, kept_settings
from core.cli.runner.displays import stream_for_people
from core.cli.runner.worker_session import Display, WorkerSession
from core.client.session import Session
from core.errors import UserError
from core.protocol.client_events import ClientEvent
from core.protocol.commands import Check
from core.security.sanitize import sanitize_line
from core.wsl import detect_wsl

_MARKS = {"good": "✓", "doubtful": "!", "bad": "✗"}
_NOT_IN_ORDER_CODE = 7


def doctor(command: Doctor, context: CommandContext) -> int:
    """Print the table line by line; returns 7 if something must be repaired before this computer can help."""
    stream = stream_for_people(command.json)
    is_bad = False
    for finding in findings(context, JsonDisplay() if command.json else None):
        is_bad |= finding.state == "bad"
        advice = "" if finding.state == "good" else finding.advice
        print(f"{_MARKS[finding.state]} {finding.subject:<14} {sanitize_line(finding.text)}", file=stream, flush=True)
        if advice:
            print(f"{'':<17}{advice}", file=stream, flush=True)
        if command.json:
            print_object("finding", state=finding.state, subject=finding.subject, text=finding.text, advice=advice)
    print("Repair what is marked ✗ first." if is_bad else "This computer can help.", file=stream)
    return _NOT_IN_ORDER_CODE if is_bad else 0


def findings(context: CommandContext, display: Display | None = None) -> Iterator[Finding]:
    """Examine this computer; the ``display``, if any, is told what the worker says meanwhile."""
    yield diagnostics.python()
    yield from diagnostics.system()
    yield diagnostics.folders_writable(context.folders)
    session, error = _check_engine(context, display or _SilentDisplay())
    checked = session.engine
    yield diagnostics.engine(checked, error)
    yield from (diagnostics.confinement(each.gaps) for each in (session.confined,) if each is not None)
    known = context.known_devices()
    yield from diagnostics.gpus(known, checked)
    yield gpu_use(context.usable(known), kept_settings(context.folders).availability)
    yield from diagnostics.wsl(detect_wsl())
    yield diagnostics.clock()
    yield from diagnostics.ports()
    yield diagnostics.upload_limits()
    yield from desktop_sources(kept_settings(context.folders).availability)
    yield diagnostics.disk(context.folders)
    yield from (each for each in (diagnostics.shared_memory(), diagnostics.open_files()) if each)


def _check_engine(context: CommandContext, display: Display) -> tuple[Session, UserError | None]:
    with WorkerSession(context, display) as worker:
        worker.client.ask(Check())
        try:
            session = worker.wait_until(lambda session: session.engine is not None)
        except UserError as error:
            return worker.session, error
        return session, None


class _SilentDisplay:
    """Prints nothing: the table has the result."""

    def handle_event(self, event: ClientEvent, session: Session) -> None:
        """Print nothing for an event."""

    def refresh(self, session: Session, tally: Tally) -> None:
        """Print nothing as time passes."""
