"""The card of the order, connected to its controller and the recent runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.controllers.recording_controller import RecordingController
from app.controllers.session_controller import SessionController
from app.pages.order.card import OrderCard
from app.pages.order.view import Key, OrderRow, OrderView
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.run_order import switch_words

if TYPE_CHECKING:
    from app.run_order.controller import RunOrderController

_LONGEST_NAME = 80


class OrderPresenter(QObject):
    """Shows the order and what is known of its runs, on whichever page the card is."""

    def __init__(
        self,
        card: OrderCard,
        controller: RunOrderController,
        session_controller: SessionController,
        recording: RecordingController,
    ) -> None:
        super().__init__(card)
        self._card, self._controller = card, controller
        self._session_controller, self._recording = session_controller, recording
        self._known: tuple[object, ...] = ()
        self._addable: tuple[tuple[Key, str], ...] = ()
        card.moved.connect(controller.move)
        card.removed.connect(controller.remove)
        card.return_chosen.connect(controller.return_after)
        card.begin_requested.connect(controller.begin)
        card.look_requested.connect(controller.look_at)
        card.added.connect(self._add)
        controller.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show what is so now."""
        controller, order = self._controller, self._controller.order
        state, present = controller.director.state, controller.present
        rows = tuple(
            OrderRow(
                each.key, sanitize_line(each.name, _LONGEST_NAME), state.obstacle_of(each.key), each.key == present
            )
            for each in order.runs
        )
        changes = tuple(f"{figures.clock(each.at)} · {switch_words(each)}" for each in order.switches)
        can_begin = self._session_controller.is_over
        self._find_addable(present)
        self._card.show_order(OrderView(rows, self._addable, order.return_after_minutes, changes, can_begin))

    def _find_addable(self, present: Key | None) -> None:
        """Find the runs that were agreed to, which reads a file, where these or the order are others."""
        recent = self._recording.recent_runs
        known = (recent, self._controller.order.keys, present)
        if known != self._known:
            self._known = known
            names = {run.key: run.name for run in self._controller.struck}
            for run in filter(self._controller.can_add, recent):
                names.setdefault((run.run_id, run.organiser), run.name)
            named = ((key, sanitize_line(name, _LONGEST_NAME)) for key, name in names.items())
            self._addable = tuple((key, name) for key, name in named if key != present)

    def _add(self, key: Key) -> None:
        self._controller.restore(key)
        for run in self._recording.recent_runs:
            if (run.run_id, run.organiser) == key and self._controller.can_add(run):
                self._controller.add_recent(run)
