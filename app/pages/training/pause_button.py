"""The button that pauses or resumes, with a menu of how long."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QGridLayout, QMenu, QPushButton, QWidget

from app.appearance.theme import give_role
from app.widgets.menu_button import MenuButton
from app.widgets.pause_menu import PauseMenu

Pausing = Literal["can_pause", "can_resume", "held", "pausing", "leaving", "over"]
"""``held`` is paused by the owner's rules, which a person may overrule."""
_PAUSED = ("can_resume", "held")
_HEIGHT = 46


class PauseButton(QWidget):
    """A large button that pauses or resumes, with a menu beside it.

    Signals:
        pause_requested: for so many seconds, or ``None`` for until the person resumes.
        resume_requested: go on.
        ignore_requested: ignore the reason of the pause until midnight.
        finish_requested: stop after this epoch, or take that back.
        leave_requested: leave the run, or go back from one that has ended.
    """

    pause_requested = Signal(object)
    resume_requested = Signal()
    ignore_requested = Signal()
    finish_requested = Signal()
    leave_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pausing: Pausing = "can_pause"
        self._is_finishing = False
        self._focus_heir: QWidget | None = None  # whoever was given the focus while there was nothing to press
        self.main = QPushButton(self)
        self.more = MenuButton(self)
        self.menu = QMenu(self)
        self._lay_out()
        self._fill_menu()
        self._retranslate()

    def show_pausing(self, pausing: Pausing, is_finishing: bool) -> None:
        """Show what can be done now."""
        if (pausing, is_finishing) != (self._pausing, self._is_finishing):
            self._pausing, self._is_finishing = pausing, is_finishing
            self._retranslate()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the texts when the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _lay_out(self) -> None:
        for button in (self.main, self.more):
            give_role(button, "primary")
            button.setMinimumHeight(_HEIGHT)
        self.main.setStyleSheet(f"font-size: {self.font().pointSizeF() * 1.3:.1f}pt")  # rules beat setFont
        self.main.clicked.connect(self._request)
        self.more.setMinimumWidth(36)
        self.more.setMenu(self.menu)
        row = QGridLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(3)
        row.setColumnMinimumWidth(0, 136)  # a button's own minimum width would take the place of that of its words
        row.addWidget(self.main, 0, 0)
        row.addWidget(self.more, 0, 1)

    def _fill_menu(self) -> None:
        self._pause_menu = PauseMenu(self.menu, self.pause_requested.emit)
        self._ignore = self.menu.addAction("")
        self._ignore.triggered.connect(lambda: self.ignore_requested.emit())
        self._before_finish = self.menu.addSeparator()
        self._finish = self.menu.addAction("")
        self._finish.setCheckable(True)
        self._finish.triggered.connect(self._request_finish)
        self.menu.addSeparator()
        self._leave = self.menu.addAction("")
        self._leave.triggered.connect(lambda: self.leave_requested.emit())

    def _request(self) -> None:
        if self._pausing in _PAUSED:
            self.resume_requested.emit()
        elif self._pausing == "can_pause":
            self.pause_requested.emit(None)
        elif self._pausing == "over":
            self.leave_requested.emit()

    def _request_finish(self) -> None:
        """Whether it is ticked is not for the click to say, but for what follows from it."""
        self._finish.setChecked(self._is_finishing)
        self.finish_requested.emit()

    def _enable(self, is_enabled: bool) -> None:
        """Who pressed it with the keyboard finds it there when it can be pressed again."""
        had_focus = self.main.hasFocus()
        self.main.setEnabled(is_enabled)
        if had_focus and not is_enabled:
            self._focus_heir = self.window().focusWidget()
        elif is_enabled and self._focus_heir is not None:
            if self._focus_heir is self.window().focusWidget():
                self.main.setFocus()
            self._focus_heir = None

    def _retranslate(self) -> None:
        words = {
            "can_pause": self.tr("Pause"),
            "can_resume": self.tr("Resume"),
            "held": self.tr("Resume now"),
            "pausing": self.tr("Pausing…"),
            "leaving": self.tr("Leaving…"),
            "over": self.tr("Back to the start"),
        }
        self.main.setText(words[self._pausing])
        self.main.setAccessibleName(words[self._pausing])
        self.more.setVisible(self._pausing in ("can_pause", *_PAUSED))
        self._enable(self._pausing not in ("pausing", "leaving"))
        self.more.setAccessibleName(self.tr("More ways to pause, finish or leave"))
        self.more.setToolTip(self.more.accessibleName())
        can_pause = self._pausing == "can_pause"
        self._pause_menu.retranslate(is_paused=self._pausing in _PAUSED)
        for action in (self._before_finish, self._finish):
            action.setVisible(can_pause)
        self._ignore.setText(self.tr("Ignore this reason until midnight"))
        self._ignore.setVisible(self._pausing == "held")
        self._finish.setText(self.tr("Finish this epoch, then stop"))
        self._finish.setChecked(self._is_finishing)
        self._leave.setText(self.tr("Leave the run"))
