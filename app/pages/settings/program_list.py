"""The programs during which nothing is to be computed, chosen from those that run now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import PurePath

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QWidget

from app.widgets.inline_inputs import Choice
from app.widgets.layout.flow_layout import FlowLayout
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line

MOST_PROGRAMS, LONGEST_NAME = 100, 100
_SHOWN_CHARACTERS, _WIDTH = 30, 190


class _ProgramField(Choice):
    """A field whose list opens before one of its programs is chosen: a chosen one is a rule at once."""

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Open the list with the keys that would otherwise choose the next program unseen."""
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            self.showPopup()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        """Let the wheel scroll the page, also where the field has the focus."""
        event.ignore()


class ProgramList(QWidget):
    """A button for each program, which removes it, and a field to type another, or to choose one that runs now.

    Signals:
        changed: the names of all programs after a change (a tuple).
    """

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.programs: tuple[str, ...] | None = None
        self.buttons: list[QPushButton] = []
        self.field = _ProgramField(self.tr("Another program"))
        self.line = QLineEdit()
        self.field.setLineEdit(self.line)  # which makes it editable
        self.field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.field.setFixedWidth(_WIDTH)
        self.line.setPlaceholderText(self.tr("add a program"))
        self.line.setAccessibleName(self.field.accessibleName())  # it has the focus in the place of its field
        self.line.setMaxLength(LONGEST_NAME)
        self.line.returnPressed.connect(lambda: self._add(self.line.text()))
        self.field.chosen.connect(lambda name: self._add(name or ""))
        self._flow = FlowLayout(self)
        self._flow.addWidget(self.field)
        self.show_programs(())

    def show_programs(self, programs: Sequence[str]) -> None:
        """Show these programs, without emitting anything."""
        if tuple(programs) == self.programs:
            return
        had_focus = any(button.hasFocus() for button in self.buttons)
        self.programs = tuple(programs)
        for button in self.buttons:
            self._flow.removeWidget(button)
            button.deleteLater()
        self.buttons = [self._button(name) for name in self.programs]
        for button in self.buttons:
            self._flow.addWidget(button)
        for earlier, later in pairwise((self.field, *self.buttons)):
            QWidget.setTabOrder(earlier, later)
        if had_focus:
            self.field.setFocus()
        self.updateGeometry()

    def show_running(self, names: Iterable[str]) -> None:
        """Offer these programs, which run now; a list that is open stays as it is."""
        if not self.field.view().isVisible() and not self.line.hasFocus():
            offered = sorted({name for name in names if _cleaned(PurePath(name).name) == name}, key=str.casefold)
            self.field.show_choices([(name, name) for name in offered])
            self.field.show_chosen(None)

    def _button(self, name: str) -> QPushButton:
        shown = sanitize_line(name, _SHOWN_CHARACTERS).replace("&", "&&")
        button = QPushButton(f"{shown}  ×", self)
        button.setAccessibleName(fill_placeholders(self.tr("Remove %1"), sanitize_line(name, LONGEST_NAME)))
        button.setToolTip(button.accessibleName())
        button.clicked.connect(lambda: self._change(tuple(each for each in self.programs or () if each != name)))
        button.show()
        return button

    def _add(self, typed: str) -> None:
        """A path stands for the executable that it names."""
        name, programs = _cleaned(PurePath(typed.strip()).name), self.programs or ()
        self.field.show_chosen(None)
        self.field.clearEditText()
        if name and name not in programs and len(programs) < MOST_PROGRAMS:
            self._change((*programs, name))

    def _change(self, programs: tuple[str, ...]) -> None:
        self.changed.emit(programs)


def _cleaned(name: str) -> str:
    return sanitize_line(name, LONGEST_NAME)
