"""The settings while the program runs: written at each change, and emitted to whoever follows them."""

from __future__ import annotations

from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, Signal

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.records.settings import LatestSettings, Settings, load_settings, merged, save_settings


class SettingsStore(QObject):
    """Holds the settings; what cannot be written is remembered until the program ends.

    With each change here, what somebody else has changed in the file meanwhile is taken over.

    Signals:
        changed: the settings before and the settings now.
        failed: the settings could not be written (a UserError).

    Attributes:
        settings: the settings as they are now.
        error: why they could not be read or written, if they could not.
    """

    changed = Signal(object, object)
    failed = Signal(object)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self.error: UserError | None = None
        try:
            self.settings, quarantined = load_settings(path)
        except UserError as error:
            self.settings, self.error = Settings(), error
        else:
            if quarantined is not None:
                self.error = UserError(ErrorKind.SETTINGS_DAMAGED, localized("It is now %1.", quarantined))
        self._in_file, self._latest = self.settings, LatestSettings(path, self.settings)

    def change(self, settings: Settings) -> None:
        """Keep these settings from now on, and emit them if they are others."""
        if settings == self.settings:
            return
        base, self._in_file = self._in_file, self._latest()
        before, self.settings = self.settings, merged(settings, base, self._in_file)
        try:
            save_settings(self._path, self.settings)
            self._in_file, self._latest = self.settings, LatestSettings(self._path, self.settings)
        except msgspec.ValidationError as error:
            self._fail(UserError(ErrorKind.SETTINGS_DAMAGED, localized("%1.", error)))
        except UserError as error:
            self._fail(error)
        self.changed.emit(before, self.settings)

    def replace(self, **fields: object) -> None:
        """Change some of the settings, named as the fields of ``Settings``."""
        self.change(msgspec.structs.replace(self.settings, **fields))

    def _fail(self, error: UserError) -> None:
        self.error = error
        self.failed.emit(error)
