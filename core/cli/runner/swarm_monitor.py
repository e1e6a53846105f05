"""All peers of a swarm on this computer: in a terminal a living table, elsewhere a line for each event."""

from __future__ import annotations

import contextlib
import sys
import time
from types import TracebackType

from rich.live import Live
from rich.table import Table
from rich.text import Text

from core.cli.output.live import REDRAW_SECONDS
from core.cli.output.plain import PlainDisplay
from core.cli.output.summary import Tally
from core.cli.runner.cancellation import Stop
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import console_for, is_living
from core.cli.runner.keyboard import keys_heard
from core.cli.runner.worker_session import WorkerSession
from core.client.session import Session
from core.files.folders import Folders
from core.protocol.client_events import ClientEvent
from core.texts import figures
from core.texts.status import status

_HEADINGS = ("", "epoch", "samples", "given", "averaged", "loss", "")


class Monitor:
    """A context; `q` stops everybody, and so does a peer that has come to grief."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._console = console_for(False)
        self._live = Live(console=self._console, auto_refresh=False) if is_living(self._console) else None
        self._ends = contextlib.ExitStack()
        self._peers: list[tuple[str, WorkerSession]] = []
        self._drawn_at = 0.0

    def __enter__(self) -> Monitor:
        if self._live is not None:
            self._ends.enter_context(keys_heard(lambda key: self._stop.request() if key in "qQ" else None))
            self._ends.enter_context(self._live)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.close()

    def peer(self, name: str, desk: CommandContext, folders: Folders) -> WorkerSession:
        """The next one in the table, still silent."""
        lines = PlainDisplay(sys.stdout, name) if self._live is None else None
        conversation = WorkerSession(desk, _Watcher(self, lines), folders)
        self._peers.append((name, conversation))
        return conversation

    def show(self) -> None:
        """How all are now; drawn at most four times a second."""
        if self._live is not None and time.monotonic() - self._drawn_at >= REDRAW_SECONDS:
            self._drawn_at = time.monotonic()
            self._live.update(self._table(), refresh=True)

    def stop_for(self, session: Session) -> None:
        """If that peer's session has come to grief."""
        if session.problem is not None:
            self._stop.request(session.problem.exit_code)

    def _table(self) -> Table:
        table = Table(*_HEADINGS, box=None, padding=(0, 2, 0, 0), header_style="dim")
        for column in table.columns[:-1]:
            column.no_wrap = True
        for name, peer in self._peers:
            table.add_row(*(Text(words) for words in (name, *_figures(peer.session, peer.tally))))
        return table


class _Watcher:
    def __init__(self, monitor: Monitor, lines: PlainDisplay | None) -> None:
        self._monitor, self._lines = monitor, lines

    def happened(self, event: ClientEvent, session: Session) -> None:
        if self._lines is not None:
            self._lines.happened(event, session)
        self._monitor.stop_for(session)

    def refresh(self, session: Session, tally: Tally) -> None:
        self._monitor.show()


def _figures(session: Session, tally: Tally) -> tuple[str, ...]:
    """What the table says of a peer."""
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
