"""What a changed setting does at once to the window and to the desktop."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.appearance.language import Language
from app.appearance.theme import Theme
from app.controllers.settings_store import SettingsStore
from core.errors import UserError
from core.records.settings import Settings


class SettingsEffects(QObject):
    """Applies theme, language and start at login when the settings change.

    Signals:
        language_changed: texts that are made from now on are in another language.
        failed: a setting could not be applied (a UserError).
    """

    language_changed = Signal()
    failed = Signal(object)

    def __init__(
        self, settings_store: SettingsStore, theme: Theme, language: Language, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        settings_store.changed.connect(self._apply)

    def _apply(self, before: Settings, after: Settings) -> None:
        self._theme.choose(after.theme)
        if after.language != before.language:
            self._language.choose(after.language)
            self.language_changed.emit()
        if after.start_at_login != before.start_at_login:
            self._set_autostart(after)

    def _set_autostart(self, settings: Settings) -> None:
        from app.desktop.autostart import set_autostart

        try:
            set_autostart(settings.start_at_login)
        except UserError as error:
            self.failed.emit(error)
