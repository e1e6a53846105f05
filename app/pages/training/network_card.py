"""The card of how others reach this computer, why, and what could be done about it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.appearance.line_breaks import breakable
from app.widgets.labels import Hint, Strong
from app.widgets.layout.card import Card
from app.widgets.status_icon import StatusIcon
from core.protocol.events import Network
from core.security.sanitize import sanitize_line
from core.texts.worker_messages import translate_message


class NetworkCard(Card):
    """How others reach this computer; hidden until it is known.

    Outgoing connections are enough to help, so they are shown as a note and not as a warning.

    Signals:
        test_requested: test again whether others can connect.
    """

    test_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon, self._way, self._reason, self._advice = StatusIcon("info", self), Strong(), Hint(), Hint()
        self._traffic, self._share = Hint(), Hint()
        self.test = QPushButton(self)
        self.test.clicked.connect(self.test_requested)
        words = QVBoxLayout()
        words.setSpacing(4)
        for label in (self._way, self._reason, self._advice, self._traffic, self._share):
            words.addWidget(label)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self.test, 0, Qt.AlignmentFlag.AlignTop)
        self.parts.addLayout(row)
        self.hide()

    @property
    def text(self) -> str:
        """All that it says, a part a line."""
        labels = (self._way, self._reason, self._advice, self._traffic, self._share)
        return "\n".join(label.text() for label in labels if label.text()).replace("\u200b", "")

    def show_traffic(self, words: str, share: str = "") -> None:
        """Show what is sent and received, and the run's share of it where that is known."""
        self._traffic.set_text(words)
        self._share.set_text(share)

    def show_network(self, network: Network | None) -> None:
        """Show what the worker has found out; ``None`` hides the card."""
        self.setVisible(network is not None)
        if network is None:
            return
        is_direct, is_running = network.mode == "direct", network.test == "running"
        self._icon.set_severity("good" if is_direct else "info")
        direct, outgoing = self.tr("Others connect to this computer."), self.tr("Only outgoing connections.")
        self._way.set_text(direct if is_direct else outgoing)
        self._reason.set_text(breakable(sanitize_line(translate_message(network.reason))))
        self._advice.set_text(breakable(sanitize_line(translate_message(network.advice))))
        self.test.setVisible(network.test != "not_needed")
        self.test.setEnabled(not is_running)
        self.test.setText(self.tr("Being tested…") if is_running else self.tr("Test again"))
