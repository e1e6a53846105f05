"""The form with which a catalogue of runs is added: a button, and behind it a field for its address."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.appearance.line_breaks import breakable
from app.appearance.theme import give_role
from app.widgets.callout import Callout
from app.widgets.labels import Hint
from app.widgets.layout.flow_layout import FlowLayout
from core.catalogue.refusal import Refusal
from core.texts.catalogues.refusals import refusal_words

_LONGEST = 4000


class AddCatalogue(QWidget):
    """A link button that unfolds a field and two buttons.

    Signals:
        look_requested: read the catalogue at what was typed (the text).
        cancel_requested: add none.
    """

    look_requested = Signal(str)
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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

    def fold(self) -> None:
        """Hide the field, and empty it."""
        self.field.clear()
        self.callout.clear()
        self._form.hide()
        self.open_button.show()
        self.cancel_requested.emit()

    def set_looking(self, is_looking: bool) -> None:
        """Lock the field while the list is read."""
        self.field.setReadOnly(is_looking)
        self.look_button.setEnabled(not is_looking)
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
            self.look_requested.emit(self.field.text())

    def _lay_out(self) -> None:
        buttons = QWidget()
        flow = FlowLayout(buttons)
        flow.addWidget(self.look_button)
        flow.addWidget(self.cancel_button)
        inner = QVBoxLayout(self._form)
        inner.setContentsMargins(0, 0, 0, 0)
        for part in (self.field, self._hint, self.callout, buttons):
            inner.addWidget(part)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self.open_button, 0, Qt.AlignmentFlag.AlignLeft)
        rows.addWidget(self._form)
