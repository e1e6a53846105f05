"""The rule about the price of electricity: the highest price at which to train, and where the prices are."""

from __future__ import annotations

import re
from math import isfinite

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.pages.settings.rule_row import INDENT
from app.widgets.labels import Hint
from app.widgets.layout.inline_form import InlineForm
from core.availability.rules import PRICE_ADDRESS
from core.security.sanitize import sanitize_line

_PRICE_WIDTH, _FILE_WIDTH, _ADDRESS_WIDTH = 80, 200, 260


class PriceRow(QWidget):
    """A price, which is empty where the price does not matter, and the file that has it by hour, here or on the web.

    Signals:
        changed: the path of the file, its address on the web, and the highest price, each ``None`` where there is none.
    """

    changed = Signal(object, object, object)

    def __init__(self) -> None:
        super().__init__()
        self._file: str | None = None
        self._address: str | None = None
        self._highest: float | None = None
        self.highest = QLineEdit()
        self.highest.setFixedWidth(_PRICE_WIDTH)
        self.highest.setAccessibleName(self.tr("Highest price of electricity"))
        self.highest.setPlaceholderText(self.tr("any"))
        self.highest.editingFinished.connect(self._change_highest)
        self.file = QPushButton()
        self.file.setAccessibleName(self.tr("File of prices"))
        self.file.clicked.connect(self._choose_file)
        self.address = QLineEdit()
        self.address.setFixedWidth(_ADDRESS_WIDTH)
        self.address.setAccessibleName(self.tr("Address of a file of prices"))
        self.address.setPlaceholderText("https://…")
        self.address.setMaxLength(2000)
        self.address.editingFinished.connect(self._change_address)
        self.reading = Hint()
        self.reading.setContentsMargins(INDENT, 0, 0, 0)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(2)
        sentence = self.tr("Train while electricity costs at most %1 according to %2")
        rows.addWidget(InlineForm(sentence, self.highest, self.file))
        rows.addWidget(InlineForm(self.tr("or according to the file at %1"), self.address))
        rows.addWidget(self.reading)
        self.reading.hide()

    def show_price(self, file: str | None, address: str | None, highest: float | None) -> None:
        """Show file or address, and price, without emitting anything; what is being typed stays."""
        self._file, self._address, self._highest = file, address, highest
        if not self.address.hasFocus():
            self._show_address()
        if not self.highest.hasFocus():
            self._show_highest()
        words = sanitize_line(file or self.tr("a file of prices …"), 4096)
        shown = self.file.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, _FILE_WIDTH)
        self.file.setText(shown.replace("&", "&&"))
        self.file.setAccessibleDescription(words)
        self.file.setToolTip(words)

    def show_reading(self, words: str) -> None:
        """Show what is seen of the price; nothing where it does not matter."""
        self.reading.set_text(words if self._highest is not None else "")

    def _show_highest(self) -> None:
        self.highest.setText("" if self._highest is None else QLocale().toString(self._highest, "g", 6))

    def _change_highest(self) -> None:
        """What is no number changes nothing."""
        typed = self.highest.text().strip()
        price, is_number = QLocale().toDouble(typed)
        highest = price if typed else None
        if typed and not (is_number and isfinite(price)):
            self._show_highest()
        elif highest != self._highest:
            self.changed.emit(self._file, self._address, highest)

    def _show_address(self) -> None:
        self.address.setText(self._address or "")
        self.address.setCursorPosition(0)

    def _change_address(self) -> None:
        """An address takes the place of a file; what is no address on the web over TLS changes nothing."""
        typed = self.address.text().strip()
        address = typed or None
        if address is not None and not re.match(PRICE_ADDRESS, address):
            self._show_address()
            self.reading.set_text(self.tr("An address of prices begins with https://"))
        elif address != self._address:
            self.changed.emit(None if address else self._file, address, self._highest)

    def _choose_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose the file of prices"), self._file or "")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda file: self.changed.emit(file, None, self._highest))
        dialog.open()
