"""The display of a swarm on this computer: at a terminal a live table of its peers, elsewhere a line an event."""

from __future__ import annotations

import contextlib
import sys
import time
from types import TracebackType

from rich.live import Live
from rich.text import Text

from core.cli.output.fitting_table import FittingTable
from core.cli.output.json_lines import JsonDisplay
from core.cli.output.live import REDRAW_SECONDS
from core.cli.output.plain import PlainDisplay
from core.cli.output.summary import Tally
from core.cli.runner.cancellation import Stop
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import can_redraw, console_for
from core.cli.runner.keyboard import listen_for_keys
from core.cli.runner.worker_session import Display, WorkerSession
from core.client.session import Session
from core.files.folders import Folders
from core.protocol.client_events import ClientEvent
from core.texts import figures
from core.texts.status import status

_HEADINGS = ("peer", "epoch", "samples", "given", "averaged", "loss", "status")


class SwarmMonitor:
    """A context that shows all peers; `q` stops them, and so does a peer that fails."""

    def __init__(self, stop: Stop, wants_json: bool) -> None:
        self._stop, self._wants_json = stop, wants_json
        console = console_for(wants_json)
        self._live = Live(console=console, auto_refresh=False) if can_redraw(console) and not wants_json else None
        self._ends = contextlib.ExitStack()
        self._peers: list[tuple[str, WorkerSession]] = []
        self._drawn_at = 0.0

    def __enter__(self) -> SwarmMonitor:
        if self._live is not None:
            self._ends.enter_context(listen_for_keys(lambda key: self._stop.request() if key in "qQ" else None))
            self._ends.enter_context(self._live)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()

    def add_peer(self, name: str, context: CommandContext, folders: Folders) -> WorkerSession:
        """Add a row to the table, and return the session of its peer, which has no worker yet."""
        worker = WorkerSession(context, _PeerDisplay(self, self._lines(name)), folders)
        self._peers.append((name, worker))
        return worker

    def redraw(self) -> None:
        """Draw the table again, at most four times a second."""
        if self._live is not None and time.monotonic() - self._drawn_at >= REDRAW_SECONDS:
            self._drawn_at = time.monotonic()
            self._live.update(self._table(), refresh=True)

    def stop_after_failure(self, session: Session) -> None:
        """Request the end of all peers if that peer's session has failed."""
        if session.problem is not None:
            self._stop.request(session.problem.exit_code)

    def _lines(self, name: str) -> Display | None:
        """What prints the events of that peer; nothing where the table shows them."""
        if self._wants_json:
            return JsonDisplay(name)
        return PlainDisplay(sys.stdout, name) if self._live is None else None

    def _table(self) -> FittingTable:
        rows = [(name, *_figures(peer.session, peer.tally)) for name, peer in self._peers]
        cells = [[*map(Text, row)] for row in rows]
        return FittingTable(_HEADINGS, cells, ("averaged", "given", "samples"), ("status",), 20)


class _PeerDisplay:
    """Passes the session of one peer to the monitor of all."""

    def __init__(self, monitor: SwarmMonitor, lines: Display | None) -> None:
        self._monitor, self._lines = monitor, lines

    def handle_event(self, event: ClientEvent, session: Session) -> None:
        if self._lines is not None:
            self._lines.handle_event(event, session)
        self._monitor.stop_after_failure(session)

    def refresh(self, session: Session, tally: Tally) -> None:
        self._monitor.redraw()


def _figures(session: Session, tally: Tally) -> tuple[str, ...]:
    """The cells of a peer in the table."""
    progress = session.progress
    text = status(session, tally.timestamps, time.monotonic())
    if progress is None:
        return ("", "", "", "", "", text)
    return (
        f"{progress.epoch}",
        figures.rate(progress.samples_per_second),
        figures.count(session.contributed_samples),
        f"{tally.shared_rounds} of {tally.rounds}",
        figures.loss(tally.last_loss),
        text,
    )
