"""The settings of what Workerbee may use of this computer, and how others see it."""

from __future__ import annotations

import os
from math import ceil

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QPushButton

from app.appearance.line_breaks import breakable
from app.presentation.countries import country_choices
from app.widgets.device_selector import DeviceSelector
from app.widgets.inline_inputs import Choice, Gigabytes, Number
from app.widgets.labels import Heading, Hint
from app.widgets.layout.card import Card
from app.widgets.layout.inline_form import InlineForm
from core.hardware.monitor import DevicesSeen
from core.records.settings import Settings
from core.security.sanitize import MAX_NAME_CHARACTERS, sanitize_line

_MOST_MBITS = 100_000
_FOLDER_WIDTH, _NAME_WIDTH, _COUNTRY_LETTERS = 260, 240, 30


class ComputerSettings(Card):
    """The settings of this computer.

    Signals:
        change_requested: the fields that a person has changed, with their new values (a dict).
    """

    change_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._settings = Settings()
        self._seen: DevicesSeen | None = None
        self.device = DeviceSelector()
        self.threads = Number(self.tr("CPU threads"), 0, os.cpu_count() or 1, self.tr("all"))
        self.network = Choice(self.tr("How to connect to others"))
        self.port = Number(self.tr("Port to listen on"), 0, 65535, self.tr("any"))
        self.folder = QPushButton()
        self.folder.setAccessibleName(self.tr("Data folder"))
        self.usual_folder = QPushButton(self.tr("Back to the usual folder"))
        self.limit = Gigabytes(self.tr("Limit of the data folder"), self.tr("as much as it needs"))
        self.memory = Gigabytes(self.tr("Limit of the device's memory"), self.tr("as much as is free"))
        self.upload, self.download = self._speed(self.tr("Upload")), self._speed(self.tr("Download"))
        self.name = QLineEdit()
        self.name.setAccessibleName(self.tr("Public name"))
        self.name.setPlaceholderText(self.tr("no name, only my peer id"))
        self.name.setMaxLength(MAX_NAME_CHARACTERS)
        self.name.setMinimumWidth(_NAME_WIDTH)
        self.credit = QCheckBox(self.tr("Model cards of runs that I help may name me"))
        self.country = Choice(self.tr("My country"))
        self.country.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.country.setMinimumContentsLength(_COUNTRY_LETTERS)  # 250 names are not measured
        self._folder_hint = Hint()
        self._offer_choices()
        self._connect()
        self._lay_out()
        self.show_settings(self._settings)

    def show_settings(self, settings: Settings) -> None:
        """Show the settings in their inputs, without emitting anything."""
        self._settings = settings
        self.threads.setMaximum(max(os.cpu_count() or 1, settings.threads or 0))
        self.threads.show_number(settings.threads or 0)
        self.network.show_chosen(settings.network)
        self.port.show_number(settings.port or 0)
        self.port.setEnabled(settings.network != "client")
        self.limit.show_limit(settings.disk_limit_bytes)
        self.memory.show_limit(settings.memory_limit_bytes)
        self.upload.show_number(ceil(settings.upload_mbits or 0))
        self.download.show_number(ceil(settings.download_mbits or 0))
        if not self.name.hasFocus():
            self.name.setText(settings.public_name or "")
        self.credit.setEnabled(bool(settings.public_name))
        self.credit.setChecked(settings.disclosure.may_be_named)
        self.country.show_chosen(settings.country)
        self._show_folder(settings.data_folder)
        self._show_device()

    def _speed(self, name: str) -> Number:
        """An input for a speed of the line, in whole Mbit/s."""
        speed = Number(name, 0, _MOST_MBITS, self.tr("unknown"))
        speed.setSuffix(" Mbit/s")
        return speed

    def show_devices(self, seen: DevicesSeen) -> None:
        """Offer these devices, and keep the one that the settings name."""
        self._seen = seen
        self._show_device()

    def _show_device(self) -> None:
        self.device.show_devices(self._seen.devices if self._seen else (), self._settings.device)

    def _show_folder(self, folder: str | None) -> None:
        words = sanitize_line(folder or self.tr("the usual folder"), 4096)
        shown = self.folder.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, _FOLDER_WIDTH)
        self.folder.setText(shown.replace("&", "&&"))
        self.folder.setAccessibleDescription(words)
        self.folder.setToolTip(words)
        self.usual_folder.setVisible(folder is not None)
        hint = self.tr("A new folder is used from the next start on; what is in the old one stays there.")
        self._folder_hint.setText(breakable(f"{words}\n{hint}") if folder else hint)

    def _offer_choices(self) -> None:
        self.network.show_choices(
            [
                (self.tr("automatically"), "auto"),
                (self.tr("directly, because others can reach me"), "direct"),
                (self.tr("by outgoing connections only"), "client"),
            ]
        )
        self.country.show_choices(country_choices())

    def _connect(self) -> None:
        self.device.device_chosen.connect(lambda wish: self._change(device=wish))
        self.threads.chosen.connect(lambda number: self._change(threads=number or None))
        self.network.chosen.connect(lambda mode: self._change(network=mode))
        self.port.chosen.connect(lambda number: self._change(port=number or None))
        self.limit.limit_chosen.connect(lambda limit: self._change(disk_limit_bytes=limit))
        self.memory.limit_chosen.connect(lambda limit: self._change(memory_limit_bytes=limit))
        self.upload.chosen.connect(lambda number: self._change(upload_mbits=float(number) or None))
        self.download.chosen.connect(lambda number: self._change(download_mbits=float(number) or None))
        self.name.editingFinished.connect(self._change_name)
        self.credit.clicked.connect(lambda is_chosen: self._change(may_be_named=is_chosen))
        self.country.chosen.connect(lambda code: self._change(country=code))
        self.folder.clicked.connect(self._choose_folder)
        self.usual_folder.clicked.connect(lambda: self._change(data_folder=None))

    def _change_name(self) -> None:
        name = sanitize_line(self.name.text(), MAX_NAME_CHARACTERS) or None
        self.name.setText(name or "")
        if name != self._settings.public_name:
            self._change(public_name=name, may_be_named=self._settings.may_be_named and name is not None)

    def _choose_folder(self) -> None:
        title = self.tr("Choose the data folder")
        dialog = QFileDialog(self, title, self._settings.data_folder or "")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda folder: self._change(data_folder=folder))
        dialog.open()

    def _change(self, **fields: object) -> None:
        self.change_requested.emit(fields)

    def _lay_out(self) -> None:
        self.parts.setSpacing(14)
        self.parts.addWidget(Heading(self.tr("This computer")))
        self.parts.addWidget(InlineForm(self.tr("Use %1 with %2 CPU threads"), self.device, self.threads))
        self.parts.addWidget(InlineForm(self.tr("Take %1 of its memory for training"), self.memory))
        self.parts.addWidget(InlineForm(self.tr("Connect to others %1 and listen on port %2"), self.network, self.port))
        self.parts.addWidget(InlineForm(self.tr("My line sends %1 and receives %2"), self.upload, self.download))
        self.parts.addWidget(
            InlineForm(self.tr("Keep data in %1 and take %2 of the disk for it"), self.folder, self.limit)
        )
        self.parts.addWidget(self.usual_folder, 0, Qt.AlignmentFlag.AlignLeft)
        self.parts.addWidget(self._folder_hint)
        self.parts.addWidget(InlineForm(self.tr("Others in a swarm see me as %1"), self.name))
        self.parts.addWidget(self.credit)
        self.parts.addWidget(InlineForm(self.tr("I tell them that my country is %1"), self.country))
        self.parts.addWidget(Hint(self.tr("What others are told of you changes when you next start a run.")))
