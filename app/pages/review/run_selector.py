"""The list of runs at one address, where there are several."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.widgets.labels import Hint, Title
from app.widgets.list_button import ListButton
from core.protocol.events import RunFound
from core.texts.run import line_of, title_of


class RunSelector(QWidget):
    """The runs at one address; those that the address vouches for stand first.

    Signals:
        run_chosen: look at that run (a RunFound).
    """

    run_chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[RunFound, ...] = ()
        self._buttons: list[ListButton] = []
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(8)
        self._rows.addWidget(Title(self.tr("Which run would you like to see?")))
        self._rows.addWidget(Hint(self.tr("Several runs can be reached at this address.")))
        self._rows.addStretch(1)

    def show_runs(self, runs: tuple[RunFound, ...]) -> None:
        """Show these runs; a row that says the same as before stays, and keeps the focus."""
        runs = tuple(sorted(runs, key=lambda run: not run.vouched))
        if runs == self._shown:
            return
        focused = next((place for place, button in enumerate(self._buttons) if button.hasFocus()), None)
        for button in self._buttons:
            self._rows.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._shown = runs
        self._buttons = [self._button(run) for run in runs]
        for place, button in enumerate(self._buttons):
            self._rows.insertWidget(2 + place, button)
        if focused is not None and focused < len(self._buttons):
            self._buttons[focused].setFocus()

    def _button(self, run: RunFound) -> ListButton:
        button = ListButton(title_of(run), line_of(run))
        button.clicked.connect(lambda: self.run_chosen.emit(run))
        return button
