"""A small bar that offers the address on the clipboard; it is never taken without a click."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.appearance.theme import give_role
from app.widgets.labels import Hint
from core.placeholders import fill_placeholders
from core.security.sanitize import short_id

if TYPE_CHECKING:
    from core.run.address import JoinAddress

_MOST_CHARACTERS = 16 * 1024


class ClipboardOffer(QWidget):
    """Hidden unless the clipboard holds an address that was not refused before.

    Signals:
        accepted: the text on the clipboard, and the address that it was parsed to (a JoinAddress).

    Attributes:
        address: the address that is on the clipboard; ``None`` where there is none.
    """

    accepted = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self._refused = ""
        self.address: JoinAddress | None = None
        self._words = Hint()
        self.use = QPushButton(self.tr("Use the address on the clipboard"))
        self.use.clicked.connect(self._accept)
        self.dismiss = QPushButton(self.tr("No, thanks"))
        give_role(self.dismiss, "link")
        self.dismiss.clicked.connect(self._refuse)
        row = QHBoxLayout()
        row.addWidget(self.use)
        row.addWidget(self.dismiss)
        row.addStretch(1)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(4)
        rows.addLayout(row)
        rows.addWidget(self._words)
        self.hide()

    def offer(self, text: str) -> None:
        """Offer the address in that text, if there is one."""
        from core.run.address import JoinAddress, UnreadableAddress

        text = text.strip()
        try:
            address = JoinAddress.parse(text) if self._is_worth_reading(text) else None
        except UnreadableAddress:
            address = None
        self._text, self.address = text, address
        if address is not None:
            self._words.setText(self._summary(address))
        self.setVisible(address is not None)

    def withdraw(self, address: JoinAddress) -> None:
        """Hide the offer of an address that is in the field already."""
        if self.address is not None and self.address.peers == address.peers:
            self.hide()

    def _is_worth_reading(self, text: str) -> bool:
        return 0 < len(text) <= _MOST_CHARACTERS and text != self._refused

    def _accept(self) -> None:
        self.hide()
        self.accepted.emit(self._text, self.address)

    def _refuse(self) -> None:
        self._refused = self._text
        self.hide()

    def _summary(self, address: JoinAddress) -> str:
        """A sentence that says enough of the address to know it by."""
        if address.run_id:
            return fill_placeholders(self.tr("It leads to the run “%1”."), address.run_id)
        return fill_placeholders(self.tr("It leads to the peer %1."), short_id(address.peer_ids[0]))
