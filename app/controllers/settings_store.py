"""The settings while the program runs: read once, written at each change, told to whoever follows them."""

from __future__ import annotations

from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, Signal

from core.errors import ErrorKind, UserError
from core.records.settings import Settings, load_settings, save_settings


class SettingsStore(QObject):
    """``trouble`` is what went wrong with the file; then they are remembered until the program ends."""

    changed = Signal(object, object)
    failed = Signal(object)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self.trouble: UserError | None = None
        try:
            self.settings, aside = load_settings(path)
        except UserError as error:
            self.settings, self.trouble = Settings(), error
        else:
            if aside is not None:
                self.trouble = UserError(ErrorKind.SETTINGS_DAMAGED, f"It is now {aside}.")

    def change(self, settings: Settings) -> None:
        """These from now on; ``changed`` tells the old ones and the new ones."""
        before, self.settings = self.settings, settings
        if settings == before:
            return
        try:
            save_settings(self._path, settings)
        except (UserError, msgspec.ValidationError) as error:
            trouble = error if isinstance(error, UserError) else _refused(error)
            self.trouble = trouble
            self.failed.emit(trouble)
        self.changed.emit(before, settings)

    def replace(self, **fields: object) -> None:
        """Change some of them."""
        self.change(msgspec.structs.replace(self.settings, **fields))


def _refused(error: msgspec.ValidationError) -> UserError:
    return UserError(ErrorKind.SETTINGS_DAMAGED, f"{error}.")
