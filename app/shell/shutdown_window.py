"""The window that is shown while the run is left."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from app.appearance.theme import give_role


class ShutdownWindow(QWidget):
    """A small window that is shown while the run is left.

    Signals:
        force_quit_requested: by its button, Escape, or closing it: do not wait any longer.
    """

    force_quit_requested = Signal()

    def __init__(self) -> None:
        super().__init__(None, Qt.WindowType.Dialog | Qt.WindowType.WindowStaysOnTopHint)
        self.setWindowTitle(self.tr("Workerbee"))
        title = QLabel(self.tr("Saying goodbye…"))
        give_role(title, "heading")
        words = QLabel(self.tr("The others are told, so that nobody waits for this computer."))
        give_role(words, "quiet")
        words.setWordWrap(True)
        bar = QProgressBar()
        bar.setRange(0, 0)
        bar.setTextVisible(False)
        bar.setAccessibleName(title.text())
        button = QPushButton(self.tr("Quit at &once"))
        button.setAccessibleName(self.tr("Quit at once, without a goodbye"))
        button.setShortcut("Esc")
        button.clicked.connect(self.force_quit_requested)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(22, 20, 22, 18)
        layout.setSpacing(10)
        for widget in (title, words, bar):
            layout.addWidget(widget)
        layout.addWidget(button, 0, Qt.AlignmentFlag.AlignRight)
        self.setMinimumWidth(360)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Take closing the window for its button."""
        event.accept()
        self.force_quit_requested.emit()
