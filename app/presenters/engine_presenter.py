"""The engine page, connected to the engine that it offers to install."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.controllers.engine_controller import EngineController
from app.pages.engine import EnginePage


class EnginePresenter(QObject):
    """Shows which engine can be installed, and how far its installation is.

    Attributes:
        page: the engine page.
        offers_settings, offers_help: whether the header has a button for them beside this page.
    """

    offers_settings, offers_help = True, True

    def __init__(self, engine_controller: EngineController) -> None:
        page = EnginePage()
        super().__init__(page)
        self.page = page
        self._engine_controller = engine_controller
        page.make_requested.connect(engine_controller.install)
        page.pause_requested.connect(engine_controller.pause)

    def refresh(self) -> None:
        """Show what is so now."""
        engine = self._engine_controller
        self.page.show_engine(engine.offer, engine.last_event, is_making=engine.is_installing)
