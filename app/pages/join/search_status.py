"""The status of a search for runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.widgets.labels import Words
from core.placeholders import fill_placeholders
from core.texts import errors

if TYPE_CHECKING:
    from core.client.session import Session


class SearchStatus(QWidget):
    """A sentence, a bar without an end, and a button; hidden while nothing is searched.

    Signals:
        cancel_requested: stop looking for the run.
    """

    cancel_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._words = Words()
        self._bar = QProgressBar()
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName(self.tr("Looking for the run"))
        self.cancel = QPushButton(self.tr("Cancel"))
        self.cancel.clicked.connect(self.cancel_requested)
        words = QVBoxLayout()
        words.addWidget(self._words)
        words.addWidget(self._bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addLayout(words, 1)
        row.addWidget(self.cancel)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence that is shown."""
        return self._words.text()

    def show_session(self, session: Session, is_searching: bool) -> None:
        """Show how far the search has come."""
        self.setVisible(is_searching)
        if session.restarting is not None:
            words = self.tr("%1; it is started again…")
            self._words.setText(fill_placeholders(words, errors.why_restarting(session.restarting)))
        elif session.hello is None:
            self._words.setText(self.tr("Starting the training process…"))
        elif session.connected is None:
            self._words.setText(self.tr("Calling the peers at this address; that can take a minute…"))
        else:
            self._words.setText(self.tr("Somebody answers; asking which run it is…"))
