"""Which page the window shows: it follows from the session, the engine, and where the person has gone."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Signal

from app.controllers.engine_controller import EngineController
from app.controllers.session_controller import SessionController
from core.client.session import Session

PageName = Literal["join", "review", "training", "settings", "contributions", "organise", "engine", "help"]

SettingsPart = Literal["price", "language"]
"""A part of the settings to which something elsewhere leads."""


def page_for(session: Session) -> PageName:
    """The page of a session: join until the search is over, review until the person agrees, then training.

    A run that ended with a problem stays on the training page, so that its problem and its curves can be read.
    """
    if session.consent is not None:
        is_over = session.phase in ("idle", "ended") and session.problem is None
        return "join" if is_over else "training"
    is_found = session.phase == "found" and session.is_search_finished
    return "review" if is_found and session.problem is None else "join"


class Navigator(QObject):
    """Decides which page is shown, and knows no page itself.

    Signals:
        changed: the person has gone to another page; the session's own changes are not repeated here.
    """

    changed = Signal()

    def __init__(
        self, session_controller: SessionController, engine_controller: EngineController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session_controller, self._engine_controller = session_controller, engine_controller
        self._is_in_settings = self._is_in_help = False
        self._beside: Literal["contributions", "organise"] | None = None  # the page beside those of the session
        self._wanted_setting: SettingsPart | None = None
        self._dismissed: Session | None = None

    @property
    def page_name(self) -> PageName:
        """The page that is to be shown now."""
        if self._is_in_help:
            return "help"
        if self._is_in_settings:
            return "settings"
        if self._beside is not None:
            return self._beside
        if self._engine_controller.is_open and self._session_controller.is_over:
            return "engine"
        return "join" if self.is_dismissed else page_for(self._session_controller.session)

    @property
    def is_dismissed(self) -> bool:
        """Whether the person has seen enough of the session, which has ended, and is back at the join page."""
        return self._session_controller.session is self._dismissed

    def open_settings(self, part: SettingsPart | None = None) -> None:
        """Go to the settings, and there to that part, whatever else goes on."""
        self._is_in_settings, self._is_in_help, self._wanted_setting = True, False, part
        self.changed.emit()

    def take_wanted_setting(self) -> SettingsPart | None:
        """The part of the settings that is to be shown, once; ``None`` for their beginning, or where they are."""
        wanted, self._wanted_setting = self._wanted_setting, None
        return wanted

    def open_contributions(self) -> None:
        """Go to what was given, whatever else goes on."""
        self._go_beside("contributions")

    def open_organise(self) -> None:
        """Go to the page of an organiser, whatever else goes on."""
        self._go_beside("organise")

    def open_help(self) -> None:
        """Go to the help, whatever else goes on; the way back leads to the page beside which it was opened."""
        self._is_in_help = True
        self.changed.emit()

    def close_help(self) -> None:
        """Go back from the help to the page beside which it was opened."""
        self._is_in_help = False
        self.changed.emit()

    def show_session_page(self) -> None:
        """Go to the page of the session, from all that are beside it."""
        self._go_beside(None)

    def go_back(self) -> None:
        """Go to the page before; a run that was only looked at is left on the way."""
        if self._is_in_help:
            self.close_help()
        elif self._is_in_settings:
            self._is_in_settings = False
            self.changed.emit()
        elif self._beside is not None:
            self.show_session_page()
        elif self._engine_controller.close():
            self.changed.emit()
        elif self._session_controller.is_over:
            self.dismiss()
        elif self._session_controller.session.consent is None:
            self._session_controller.leave()

    def leave(self) -> None:
        """Leave the run; one that has ended already is dismissed."""
        if self._session_controller.is_over:
            self.dismiss()
        else:
            self._session_controller.leave()

    def dismiss(self) -> None:
        """Go back to the join page from a run that has ended."""
        if self._session_controller.is_over:
            if self._session_controller.session.phase == "ended":
                self._session_controller.left.emit()
            self._dismissed = self._session_controller.session
            self.changed.emit()

    def _go_beside(self, page: Literal["contributions", "organise"] | None) -> None:
        self._beside, self._is_in_settings, self._is_in_help = page, False, False
        self.changed.emit()
