"""What is seen first: the window with its first page, before anything that is behind it has been loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.appearance.theme import Theme
from app.controllers.settings_store import SettingsStore
from app.pages.join.page import JoinPage
from app.shell.main_window import Window
from app.shell.notices import show_update_notice
from core.files.folders import Folders

if TYPE_CHECKING:
    from app.appearance.language import Language
    from core.updates.notice import UpdateNotice


class InitialWindow:
    """The application is built behind it, while a person reads the page."""

    def __init__(self, folders: Folders, choices: SettingsStore, theme: Theme, language: Language) -> None:
        self.folders, self.choices, self.theme, self.language = folders, choices, theme, language
        self.window, self.join = Window(), JoinPage()
        self.window.show_page(self.join, offers_settings=False)

    @property
    def place_file(self) -> Path:
        """Where the window's place on the screen is remembered."""
        return self.folders.window_file

    def open(self, *, is_minimised: bool = False) -> None:
        """Show the window, unless it is to begin in the tray."""
        self.window.remember_place(self.place_file)
        if not is_minimised:
            self.window.show()

    def notify_update(self, update: UpdateNotice) -> bool:
        """Show a newer version where the window is visible and its notice bar is free; whether it did."""
        if not self.window.is_seen or not self.window.notice.isHidden():
            return False
        show_update_notice(self.window.notice, update)
        return True
