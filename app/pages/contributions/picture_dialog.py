"""The dialog of *Picture…*: the picture as it will be, with a choice of what it tells, and where to save it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QFileDialog, QLabel, QVBoxLayout, QWidget

from app.pages.contributions.picture import PictureContents, as_png, paint_contributions
from app.pages.save_dialog import open_save_dialog, save_in_words
from app.widgets.labels import Hint

FILE_NAME = "workerbee-contributions.png"
_PREVIEW = QSize(480, 252)


class PictureDialog(QDialog):
    """A picture that tells nobody's name and no run's, unless that is ticked.

    Attributes:
        image: the picture as it will be saved.
        named, with_runs: whether it tells the public name, and the names of the runs.
        state: what has become of it, in words.
        files: the dialog for the file, once it was asked for.
    """

    def __init__(self, contents: PictureContents, parent: QWidget) -> None:
        """``contents`` holds the name and the runs that may be told."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Picture to share"))
        self._contents = contents
        self.files: QFileDialog | None = None
        self.image = QImage()
        self._preview = QLabel()
        self._preview.setFixedSize(_PREVIEW)
        self._preview.setAccessibleName(self.tr("Preview of the picture"))
        self.named = QCheckBox(self.tr("With my public name"))
        self.named.setVisible(bool(contents.name))
        self.with_runs = QCheckBox(self.tr("With the names of the runs"))
        self.state = Hint(self.tr("Nothing is sent: save it, and share it where you like."))
        self.buttons = QDialogButtonBox()
        save = self.buttons.addButton(self.tr("Save…"), QDialogButtonBox.ButtonRole.ActionRole)
        close = self.buttons.addButton(self.tr("Close"), QDialogButtonBox.ButtonRole.RejectRole)
        save.clicked.connect(self._choose_file)
        close.clicked.connect(self.reject)
        rows = QVBoxLayout(self)
        for part in (self._preview, self.named, self.with_runs, self.state, self.buttons):
            rows.addWidget(part)
        for box in (self.named, self.with_runs):
            box.toggled.connect(self._paint)
        self._paint()

    def save(self, path: Path) -> None:
        """Write the picture there, and say so; or why that cannot be done."""
        self.state.set_text(save_in_words(path, as_png(self.image)))

    def _paint(self) -> None:
        contents = replace(
            self._contents,
            name=self._contents.name if self.named.isChecked() else "",
            runs=self._contents.runs if self.with_runs.isChecked() else (),
        )
        self.image = paint_contributions(contents, self.font())
        ratio = self.devicePixelRatioF()
        shown = self.image.scaled(_PREVIEW * ratio, mode=Qt.TransformationMode.SmoothTransformation)
        pixmap = QPixmap.fromImage(shown)
        pixmap.setDevicePixelRatio(ratio)
        self._preview.setPixmap(pixmap)

    def _choose_file(self) -> None:
        self.files = open_save_dialog(self, self.tr("Save the picture"), FILE_NAME, self.save)
