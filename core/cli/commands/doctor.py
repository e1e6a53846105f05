"""`doctor`: a table of what is in order on this computer, and what to do where something is not."""

from __future__ import annotations

from collections.abc import Iterator

from core.cli.commands import diagnostics as checkup
from core.cli.commands.diagnostics import Finding
from core.cli.output.json_lines import JsonDisplay
from core.cli.output.summary import Tally
from core.cli.parser.arguments import Doctor
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import words_stream
from core.cli.runner.worker_session import Watcher, WorkerSession
from core.client.session import Session
from core.errors import UserError
from core.hardware.discovery import find_devices
from core.protocol.client_events import ClientEvent
from core.protocol.events import EngineChecked
from core.security.sanitize import sanitize_line

_MARKS = {"good": "✓", "doubtful": "!", "bad": "✗"}
_NOT_IN_ORDER_CODE = 7


def doctor(wish: Doctor, desk: CommandContext) -> int:
    """Print the table line by line; 7 if something must be mended first."""
    stream = words_stream(wish.json)
    is_bad = False
    for finding in _findings(desk, JsonDisplay() if wish.json else _Nobody()):
        is_bad |= finding.state == "bad"
        mark = _MARKS[finding.state]
        print(f"{mark} {finding.subject:<14} {sanitize_line(finding.words)}", file=stream, flush=True)
        if finding.state != "good" and finding.advice:
            print(f"{'':<17}{finding.advice}", file=stream, flush=True)
    print("Mend what has a ✗ first." if is_bad else "This computer can help.", file=stream)
    return _NOT_IN_ORDER_CODE if is_bad else 0


def _findings(desk: CommandContext, watcher: Watcher) -> Iterator[Finding]:
    yield checkup.python()
    yield checkup.folders_writable(desk.folders)
    checked, error = _check_engine(desk, watcher)
    yield checkup.engine(checked, error)
    yield from checkup.gpus(find_devices(), checked)
    yield checkup.clock()
    yield from checkup.ports()
    yield checkup.disk(desk.folders)
    yield from (each for each in (checkup.shared_memory(), checkup.open_files()) if each)


def _check_engine(desk: CommandContext, watcher: Watcher) -> tuple[EngineChecked | None, UserError | None]:
    with WorkerSession(desk, watcher) as conversation:
        conversation.client.check_engine()
        try:
            session = conversation.wait_until(lambda session: session.engine is not None)
        except UserError as error:
            return None, error
        return session.engine, None


class _Nobody:
    """Watches nothing: the table tells what came of it."""

    def happened(self, event: ClientEvent, session: Session) -> None:
        """Say nothing."""

    def refresh(self, session: Session, tally: Tally) -> None:
        """Draw nothing."""
