"""The log of events: a line each with its time; the oldest lines are dropped."""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QEvent, QLocale, Qt
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

KEPT_LINES = 500


class EventLog(QPlainTextEdit):
    """A log, newest line at the end, which it stays at unless somebody has scrolled up."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setMaximumBlockCount(KEPT_LINES)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._retranslate()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the texts when the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def add(self, at: float, line: str) -> None:
        """Add a line for something that happened at that time (seconds since 1970)."""
        when = QLocale().toString(QDateTime.fromSecsSinceEpoch(int(at)).time(), "HH:mm:ss")
        self.appendPlainText(f"{when}  {line}")

    @property
    def lines(self) -> list[str]:
        """The lines that are kept."""
        return self.toPlainText().splitlines()

    def _retranslate(self) -> None:
        self.setPlaceholderText(self.tr("Nothing has happened yet"))
        self.setAccessibleName(self.tr("What has happened"))
