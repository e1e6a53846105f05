"""The form with which a catalogue of runs is added: a button, and behind it a field for its address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.appearance.line_breaks import breakable
from app.appearance.theme import give_role
from app.widgets.callout import Callout
from app.widgets.labels import Hint
from app.widgets.layout.flow_layout import FlowLayout
from core.catalogue.refusal import Refusal
from core.texts.catalogues.refusals import refusal_words

if TYPE_CHECKING:
    from PySide6.QtWidgets import QFileDialog

_LONGEST = 4000


class AddCatalogue(QWidget):
    """A link button that unfolds a field and three buttons.

    Signals:
        look_requested: read the catalogue at what was typed (the text).
        cancel_requested: add none.
        unfolded: the form is there, or has grown.
    """

    look_requested = Signal(str)
    cancel_requested = Signal()
    unfolded = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.open_button = QPushButton(self.tr("Add a list of runs…"))
        give_role(self.open_button, "link")
        self.open_button.clicked.connect(self.unfold)
        self.field = QLineEdit()
        self.field.setMaxLength(_LONGEST)
        self.field.setPlaceholderText("https://…")
        self.field.setAccessibleName(self.tr("Address of the list"))
        self.field.returnPressed.connect(self._look)
        self.look_button = QPushButton(self.tr("Read the list"))
        self.look_button.clicked.connect(self._look)
        self.file_button = QPushButton(self.tr("Choose a file…"))
        self.file_button.clicked.connect(self._choose_file)
        self.files: QFileDialog | None = None
        self.cancel_button = QPushButton(self.tr("Cancel"))
        self.cancel_button.clicked.connect(self.fold)
        self._hint = Hint(self.tr("An https address, or the path of a file. Its server sees your IP address."))
        self.callout = Callout()
        self._form = QWidget()
        self._lay_out()
        self.fold()

    def unfold(self) -> None:
        """Show the field, and hide the button."""
        self.open_button.hide()
        self._form.show()
        self.field.setFocus()
        self.unfolded.emit()

    def fold(self) -> None:
        """Hide the field, and empty it; the keyboard stays here if it was in the form."""
        focused = self.window().focusWidget()
        self.field.clear()
        self.callout.clear()
        self._form.hide()
        self.open_button.show()
        if focused is not None and self._form.isAncestorOf(focused):
            self.open_button.setFocus()
        self.cancel_requested.emit()

    def set_looking(self, is_looking: bool) -> None:
        """Lock the field while the list is read."""
        self.field.setReadOnly(is_looking)
        self.look_button.setEnabled(not is_looking)
        self.file_button.setEnabled(not is_looking)
        self.look_button.setText(self.tr("Reading the list…") if is_looking else self.tr("Read the list"))

    def show_refusal(self, refusal: Refusal) -> None:
        """Say why there is nothing to add."""
        self.unfold()
        self.callout.show_message("caution", self.tr("This list cannot be added."), breakable(refusal_words(refusal)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Fold the form when Escape is pressed in it."""
        if event.key() == Qt.Key.Key_Escape and self._form.isVisible():
            self.fold()
        else:
            super().keyPressEvent(event)

    def _look(self) -> None:
        self.callout.clear()
        if not self.field.isReadOnly():
            address = QUrl(self.field.text().strip())
            self.look_requested.emit(address.toLocalFile() if address.isLocalFile() else self.field.text())

    def _choose_file(self) -> None:
        from PySide6.QtWidgets import QFileDialog

        self.files = QFileDialog(self, self.tr("Open a list of runs"), "", self.tr("Lists of runs (*.toml)"))
        self.files.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.files.setFileMode(QFileDialog.FileMode.ExistingFile)
        self.files.fileSelected.connect(self._look_at_file)
        self.files.open()

    def _look_at_file(self, path: str) -> None:
        self.field.setText(path)
        self._look()

    def _lay_out(self) -> None:
        buttons = QWidget()
        flow = FlowLayout(buttons)
        flow.addWidget(self.look_button)
        flow.addWidget(self.file_button)
        flow.addWidget(self.cancel_button)
        inner = QVBoxLayout(self._form)
        inner.setContentsMargins(0, 0, 0, 0)
        for part in (self.field, self._hint, self.callout, buttons):
            inner.addWidget(part)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignLeft)
        rows.addWidget(self._form)
