"""The display of a fleet: a picture at a terminal, lines elsewhere, JSON for programs; what is new is recorded."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING

from core.cli.output.json_lines import print_event
from core.cli.output.summary import Tally
from core.client.session import Session
from core.fleet.recorder import FleetRecorder
from core.fleet.snapshot import FleetSnapshot
from core.fleet.state import FleetState
from core.protocol.client_events import ClientEvent
from core.protocol.events import Connected, Restarting, RunFound, Warned
from core.protocol.peers import PeersSeen
from core.security.sanitize import sanitize_line
from core.texts import event_log

if TYPE_CHECKING:
    from rich.console import Console

REDRAW_SECONDS = 1.0
LINE_SECONDS = 60.0  # between two lines where nothing can be redrawn


class FleetDisplay:
    """A Display of the worker's session, and a context that restores the terminal.

    Nothing is shown or recorded before `begin`, when it is known which run is watched. ``price`` is that of a
    kilowatt-hour.
    """

    def __init__(
        self,
        console: Console,
        recorder: FleetRecorder,
        *,
        wants_json: bool,
        is_live: bool,
        is_once: bool,
        price: float | None = None,
    ) -> None:
        self._console, self._recorder, self._price = console, recorder, price
        self._wants_json, self._is_live, self._is_once = wants_json, is_live, is_once
        self._state = FleetState()
        self._snapshot: FleetSnapshot | None = None
        self._has_begun = self._is_news = False
        self._drawn_at = self._told_at = -LINE_SECONDS
        self._live = contextlib.ExitStack()

    def __enter__(self) -> FleetDisplay:
        if self._is_live:
            from rich.live import Live

            self._screen = self._live.enter_context(Live(console=self._console, auto_refresh=False))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.close()

    @property
    def has_seen(self) -> bool:
        """Whether the fleet has been seen at all."""
        return self._snapshot is not None

    def begin(self, run: RunFound) -> None:
        """Show and record the fleet of that run from now on, and what has been told of it so far."""
        self._state = replace(self._state, run=run)
        self._has_begun = True
        self._show()

    def handle_event(self, event: ClientEvent, session: Session) -> None:
        """Reduce the state with the event; a new look at the peers is news, and troubles have their words at once."""
        self._state = self._state.after(event)
        self._is_news |= isinstance(event, PeersSeen)
        if isinstance(event, Connected | Warned | Restarting) and not self._wants_json:
            self._console.print(sanitize_line(event_log.line(event) or ""), style="dim", soft_wrap=True)

    def refresh(self, session: Session, tally: Tally) -> None:
        """Show what is new; at a terminal, draw the picture again once a second."""
        if self._has_begun:
            self._show()

    def _show(self) -> None:
        if self._is_news and (snapshot := self._state.snapshot(time.time())) is not None:
            self._snapshot, self._is_news = snapshot, False
            self._recorder.add(snapshot)
            if self._wants_json:
                print_event(snapshot)
        if self._snapshot is not None and not self._wants_json:
            self._draw(self._snapshot)

    def _draw(self, snapshot: FleetSnapshot) -> None:
        from core.cli.output.fleet_view import fleet_line, fleet_picture

        now = time.monotonic()
        if self._is_live and now - self._drawn_at >= REDRAW_SECONDS:
            self._drawn_at = now
            history, hint = self._recorder.history, "   q or Ctrl-C: leave"
            picture = fleet_picture(snapshot, history, self._console.height, hint, self._price)
            self._screen.update(picture, refresh=True)
        elif self._is_once and self._told_at < 0:
            self._told_at = now
            lines = len(snapshot.peers) + self._console.height
            self._console.print(fleet_picture(snapshot, self._recorder.history, lines, price=self._price))
        elif not (self._is_live or self._is_once) and now - self._told_at >= LINE_SECONDS:
            self._told_at = now
            self._console.print(fleet_line(snapshot, self._price), soft_wrap=True)
