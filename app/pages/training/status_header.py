"""The head of the training page: the status sentence and the pause button."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.appearance.line_breaks import in_whole_parts
from app.pages.training.pause_button import PauseButton
from app.widgets.labels import Hint, Title


class StatusHeader(QWidget):
    """The run's name, the status sentence, the organiser's notice, and the pause button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence = ""
        self._run, self._status, self._notice = Hint(), Title(), Hint()
        self._status.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.button = PauseButton(self)
        words = QVBoxLayout()
        words.setSpacing(4)
        for label in (self._run, self._status, self._notice):
            words.addWidget(label)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(20)
        row.addLayout(words, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)

    @property
    def run(self) -> str:
        """The line above the status: which run it is."""
        return self._run.text().replace("\u200b", "")

    def show_run(self, name: str, notice: str) -> None:
        """Show the name of the run and its organiser's notice."""
        self._run.set_text(name)
        self._notice.set_text(notice)

    def show_status(self, sentence: str) -> None:
        """Show the status sentence of the session."""
        self.sentence = sentence
        self._status.set_text(in_whole_parts(sentence))
        self._keep_height()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Measure the height of the sentence again at another width."""
        super().resizeEvent(event)
        self._status.setMinimumHeight(0)
        self._keep_height()

    def _keep_height(self) -> None:
        """A sentence that is a little shorter now and then must not move the whole page."""
        height = self._status.heightForWidth(self._status.width())
        self._status.setMinimumHeight(max(height, self._status.minimumHeight()))
