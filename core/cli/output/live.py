"""The live display of a session: a picture that is redrawn in its place on the terminal."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from core.cli.output.live_table import picture
from core.cli.output.summary import Tally
from core.client.session import Session
from core.protocol.client_events import ClientEvent, EarlierRunReopened, RunContinued
from core.protocol.events import CheckpointSaved, Warned
from core.texts import event_log

REDRAW_SECONDS = 0.25


class LiveDisplay:
    """A context that restores the terminal's cursor when it is left; ``footer`` returns the last line."""

    def __init__(self, console: Console, footer: Callable[[], str] | None = None) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False)
        self._footer = footer
        self._drawn_at = 0.0

    def __enter__(self) -> LiveDisplay:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def handle_event(self, event: ClientEvent, session: Session) -> None:
        """Print warnings, checkpoints and changes of the run above the picture, where they stay."""
        match event:
            case Warned():
                self._console.print(Text(f"Note: {event_log.line(event)}", style="yellow"))
            case RunContinued(switch=None):
                pass  # the first of an order: nothing was interrupted
            case CheckpointSaved() | RunContinued() | EarlierRunReopened():
                self._console.print(Text(event_log.line(event) or ""), soft_wrap=True)
            case _:
                pass

    def refresh(self, session: Session, tally: Tally) -> None:
        """Draw the picture again, at most four times a second."""
        now = time.monotonic()
        if now - self._drawn_at >= REDRAW_SECONDS or session.phase == "ended":
            self._drawn_at = now
            footer = self._footer() if self._footer else ""
            self._live.update(picture(session, tally, now, footer), refresh=True)
