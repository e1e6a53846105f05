"""The notice bar below the header: one notice with at most one button, until it is dismissed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.presentation.severity import Severity
from app.widgets.callout import Callout
from core.errors import ErrorKind


class NoticeBar(QWidget):
    """A bar below the header for one notice; it takes no room while there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.callout = Callout()
        self.callout.action_requested.connect(self._act)
        self.dismiss = QPushButton()
        self.dismiss.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 12, 18, 4)
        row.addWidget(self.callout, 1)
        row.addWidget(self.dismiss, 0, Qt.AlignmentFlag.AlignTop)
        self._action: Callable[[], None] | None = None
        self.hide()

    def show_notice(
        self,
        severity: Severity,
        title: str,
        words: str = "",
        *,
        button: str = "",
        action: Callable[[], None] | None = None,
        error: ErrorKind | None = None,
    ) -> None:
        """Show this in place of what was there; the button does ``action``, and ``error`` is what help is about."""
        self._action = action
        self.dismiss.setText(self.tr("Dis&miss"))
        self.dismiss.setAccessibleName(self.tr("Put this notice away"))
        self.callout.show_message(severity, title, words, action=button if action else "", error=error)
        self.show()

    def withdraw(self, title: str) -> None:
        """That is over; something else that is said by now stays."""
        if self.callout.title == title:
            self.hide()

    def _act(self) -> None:
        self.hide()
        if self._action is not None:
            self._action()
