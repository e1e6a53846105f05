"""The dialog of *Make a report*: it shows what would be saved, and saves it; nothing is sent."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.pages.save_dialog import open_save_dialog, save_in_words
from core.problem_report.file import FILE_NAME

SIZE = QSize(720, 520)


class ReportDialog(QDialog):
    """A report that can be read and saved.

    Attributes:
        text: what is in it.
        state: what has become of it, in words.
        buttons: *Save…* and *Close*.
        files: the dialog for the file, once it was asked for.
    """

    def __init__(self, report: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Report of a problem"))
        self.resize(SIZE.boundedTo(parent.window().size()))
        self.files: QFileDialog | None = None
        self.text = QPlainTextEdit(report)
        self.text.setReadOnly(True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setAccessibleName(self.tr("Report of a problem"))
        self.state = QLabel(
            self.tr(
                "This helps others to find a problem. Names, computers, addresses, paths, peer ids, runs and keys "
                "were replaced by numbers; read it all the same. Nothing is sent: save it, and attach it where you "
                "ask for help."
            )
        )
        self.state.setWordWrap(True)
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        self.buttons = QDialogButtonBox()
        save = self.buttons.addButton(self.tr("Save…"), QDialogButtonBox.ButtonRole.ActionRole)
        close = self.buttons.addButton(self.tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        save.clicked.connect(self._choose_file)
        close.clicked.connect(self.reject)
        rows = QVBoxLayout(self)
        rows.addWidget(self.state)
        rows.addWidget(self.text, 1)
        rows.addWidget(self.buttons)

    def save(self, path: Path) -> None:
        """Write the report there, for its owner only, and say so; or why that cannot be done."""
        done = self.tr("Saved as %1. Nothing was sent.")
        self.state.setText(save_in_words(path, self.text.toPlainText().encode(), done))

    def _choose_file(self) -> None:
        self.files = open_save_dialog(self, self.tr("Save the report"), FILE_NAME, self.save)
