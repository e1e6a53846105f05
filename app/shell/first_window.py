"""The first window: shown with the join page before anything that is behind it has been loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.appearance.theme import Theme
from app.controllers.settings_store import SettingsStore
from app.desktop.launch_request import LaunchRequest
from app.pages.join.page import JoinPage
from app.shell.main_window import MainWindow
from core.files.folders import Folders

if TYPE_CHECKING:
    from app.appearance.language import Language

StartMode = Literal["window", "tray", "tray_at_login"]
"""With the window; in the tray, by hand; in the tray, as the session's autostart does, before there is a panel."""


class InitialWindow:
    """The window that a person can look at while the application is made behind it.

    Attributes:
        folders: where everything lies on the disk.
        settings_store: the settings, read before the window is made, since they choose its language and theme.
        window: the window.
        join_page: the page in it.
    """

    def __init__(self, folders: Folders, settings_store: SettingsStore, theme: Theme, language: Language) -> None:
        self.folders, self.settings_store, self.theme, self.language = folders, settings_store, theme, language
        self.window, self.join_page = MainWindow(), JoinPage()
        self.window.show_page(self.join_page, offers_settings=False)

    @property
    def geometry_file(self) -> Path:
        """The file that remembers the window's place and size on the screen."""
        return self.folders.window_file

    def start_mode(self, request: LaunchRequest) -> StartMode:
        """How the program starts: the settings may hide the window, but not from a person who opens a link or file."""
        if request.is_minimised:
            return "tray_at_login"
        is_handed_something = bool(request.link or request.run_file)
        return "tray" if self.settings_store.settings.start_minimised and not is_handed_something else "window"

    def open(self, request: LaunchRequest) -> None:
        """Show the window where it was the last time, unless the program starts in the tray."""
        self.window.restore_geometry_from(self.geometry_file)
        if self.start_mode(request) == "window":
            self.window.show()
