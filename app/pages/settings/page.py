"""The settings page: sentences with inputs in them, each of which takes effect at once."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.pages.settings.availability_settings import AvailabilitySettings
from app.pages.settings.catalogue_settings import CatalogueSettings
from app.pages.settings.computer_settings import ComputerSettings
from app.pages.settings.electricity_settings import ElectricitySettings
from app.pages.settings.pace_settings import PaceSettings
from app.pages.settings.update_settings import UpdateSettings
from app.pages.settings.window_settings import WindowSettings
from app.widgets.callout import Callout
from app.widgets.labels import Title
from app.widgets.layout.page_column import PageColumn
from core.errors import ErrorKind
from core.hardware.monitor import DevicesSeen
from core.localizable import Detail
from core.records.settings import Settings

_WIDEST = 760
_AROUND = 160


class SettingsPage(QWidget):
    """The settings, each of which takes effect when it is changed; nothing needs to be saved by hand.

    Signals:
        settings_changed: all settings after a change (Settings).
        back_requested: go back to the page before.
        removal_requested: delete what is kept of the person.
    """

    settings_changed = Signal(object)
    back_requested = Signal()
    removal_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._settings = Settings()
        self.computer, self.window_behaviour = ComputerSettings(), WindowSettings()
        self.availability, self.pace, self.updates = AvailabilitySettings(), PaceSettings(), UpdateSettings()
        self.electricity, self.catalogues = ElectricitySettings(), CatalogueSettings()
        self.callout = Callout()
        self.back = QPushButton(self.tr("Back"))
        self.back.clicked.connect(self.back_requested)
        top = QHBoxLayout()
        top.addWidget(Title(self.tr("Settings")), 1)
        top.addWidget(self.back)
        self._column = column = PageColumn(_WIDEST)
        column.parts.addLayout(top)
        column.parts.addWidget(self.callout)
        cards = (self.computer, self.availability, self.pace, self.electricity, self.window_behaviour, self.updates)
        for part in cards:
            part.change_requested.connect(self._change)
            column.parts.addWidget(part)
        column.parts.addWidget(self.catalogues)
        self.remove = QPushButton(self.tr("Remove my data …"))
        self.remove.clicked.connect(self.removal_requested)
        column.parts.addWidget(self.remove, 0, Qt.AlignmentFlag.AlignLeft)
        column.parts.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(column)

    def show_settings(self, settings: Settings) -> None:
        """Show the settings in their inputs, without emitting anything."""
        self._settings = settings
        self.computer.show_settings(settings)
        self.availability.show_settings(settings)
        self.pace.show_settings(settings)
        self.electricity.show_settings(settings)
        self.window_behaviour.show_settings(settings)
        self.updates.show_settings(settings)

    def go_to(self, wanted: QWidget) -> None:
        """Put the focus on that input, and scroll to it as soon as the page is laid out."""
        wanted.setFocus()
        self._column.scroll_to(wanted, _AROUND)

    def show_devices(self, seen: DevicesSeen) -> None:
        """Offer these devices to train on."""
        self.computer.show_devices(seen)

    def show_problem(self, problem: ErrorKind, detail: Detail) -> None:
        """Show that the settings could not be read or written, until the next change."""
        self.callout.show_problem(problem, detail)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Go back when Escape is pressed."""
        if event.key() == Qt.Key.Key_Escape:
            self.back_requested.emit()
        else:
            super().keyPressEvent(event)

    def _change(self, fields: dict[str, object]) -> None:
        self.callout.clear()
        self.show_settings(msgspec.structs.replace(self._settings, **fields))
        self.settings_changed.emit(self._settings)
