"""The form in which a run's address is entered: the field, what is wrong with its text, and the buttons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.appearance.line_breaks import breakable, with_whole_paths
from app.appearance.theme import give_role
from app.pages.join.address_field import AddressField, ParsedText
from app.pages.join.clipboard_offer import ClipboardOffer
from app.presentation.address import what_is_good, what_is_wrong, what_it_is
from app.presentation.error_actions import button_of, remedy_of
from app.widgets.callout import Callout
from app.widgets.labels import Hint
from core.errors import ErrorKind
from core.localizable import Detail
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts.errors import title_of

if TYPE_CHECKING:
    from core.run.address import JoinAddress


_MOST_CHARACTERS = 70_000  # a little more than an address may have, so that it is still said to be too long


class AddressForm(QWidget):
    """Takes an address, and says what is wrong with one that cannot be read.

    Signals:
        join_requested: the address that was entered (a JoinAddress).
        run_file_requested: the run file that was chosen (a Path).
        run_file_withdrawn: the address is to be joined without a run file.
        settings_requested: the settings can mend the error that is shown.
        forget_key_requested: the run whose organiser's key has changed (its id).

    Attributes:
        field: the text field.
        offer: the bar that offers the address on the clipboard.
        callout: what is wrong.
        run_file: which run file the address is joined with.
        withdraw_button: takes the run file back.
        join_button, paste_button, file_button: the buttons.
    """

    join_requested = Signal(object)
    run_file_requested = Signal(object)
    run_file_withdrawn = Signal()
    settings_requested = Signal()
    forget_key_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._problem: ErrorKind | None = None
        self.field = AddressField()
        self.field.parsed.connect(self._show_result)
        self.field.join_requested.connect(self._join)
        self.offer = ClipboardOffer()
        self.offer.accepted.connect(self.fill)
        self.callout = Callout()
        self.callout.action_requested.connect(self._follow_advice)
        self._hint = Hint()
        self.run_file = Hint()
        self.join_button = QPushButton(self.tr("Show me the run"))
        give_role(self.join_button, "primary")
        self.join_button.clicked.connect(self._join)
        self._lay_out()
        self._show_result(self.field.result)

    def fill(self, text: str, address: JoinAddress | None = None) -> None:
        """Put a text into the field; ``address`` is what it was parsed to already, if it was."""
        self.offer.hide()
        self.field.fill(text, address)

    def show_problem(self, problem: ErrorKind, detail: Detail) -> None:
        """Show what went wrong with this address, until it is changed."""
        self._problem = problem
        if problem is ErrorKind.NO_SUCH_RUN:
            action = self.tr("Open a run file…")
        elif problem is ErrorKind.ORGANISER_CHANGED:
            action = self.tr("Forget the old key…") if self._run_id else ""
        else:
            action = button_of(problem) if remedy_of(problem) == "settings" else ""
        self.callout.show_problem(problem, detail, action=action)
        self._hint.set_text("")

    def forget_problem(self) -> None:
        """Show the error no longer, since something new has begun."""
        if self._problem is not None:
            self._problem = None
            self._show_result(self.field.result)

    def show_run_file(self, file_name: str, run_name: str) -> None:
        """Show which run file the address is joined with; none if the names are empty."""
        name, run = sanitize_line(file_name, 120), sanitize_line(run_name, 120)
        sentence = self.tr("The run is described by your file %1: “%2”.") if name else ""
        words = breakable(fill_placeholders(sentence, name, run))
        if words != self.run_file.text():
            self.run_file.set_text(words)
            self.withdraw_button.setVisible(bool(name))
            if self._problem is None:
                self._show_result(self.field.result)

    def set_searching(self, is_searching: bool) -> None:
        """Lock the form while the swarm is searched."""
        self.field.setReadOnly(is_searching)
        for button in (self.join_button, self.paste_button, self.file_button, self.withdraw_button, self.offer):
            button.setEnabled(not is_searching)

    def _show_result(self, result: ParsedText) -> None:
        self._problem = None
        self.callout.clear()
        if result.address is not None:
            self.offer.withdraw(result.address)
            self._hint.set_text(what_it_is(result.address))
        elif result.error is not None:
            self._hint.set_text("")
            title = title_of(ErrorKind.ADDRESS_UNREADABLE)
            wrong, good = what_is_wrong(result.error), what_is_good(result.error)
            error = ErrorKind.ADDRESS_UNREADABLE
            self.callout.show_message("caution", title, breakable(wrong), breakable(good), error=error)
        else:
            words = self.tr("Paste what the organiser posted: a link, or a line with /ip4/… in it.")
            if self.run_file.text():
                words = self.tr("Now paste a peer's address.")
            self._hint.set_text(with_whole_paths(words))

    def _join(self) -> None:
        result = self.field.parse(is_empty_wrong=True)
        if result.address is None:
            self.field.setFocus()
        elif not self.field.isReadOnly():
            self.join_requested.emit(result.address)

    def _paste(self) -> None:
        self.fill(QGuiApplication.clipboard().text()[:_MOST_CHARACTERS])
        (self.join_button if self.field.result.address else self.field).setFocus()

    def _follow_advice(self) -> None:
        if self._problem is ErrorKind.NO_SUCH_RUN:
            self._choose_run_file()
        elif self._problem is ErrorKind.ORGANISER_CHANGED:
            self.forget_key_requested.emit(self._run_id)
        else:
            self.settings_requested.emit()

    @property
    def _run_id(self) -> str:
        """The run that the address names; empty where it names none."""
        address = self.field.result.address
        return address.run_id or "" if address is not None else ""

    def _choose_run_file(self) -> None:
        from PySide6.QtWidgets import QFileDialog

        dialog = QFileDialog(self, self.tr("Open a run file"), "", self.tr("Run files (*.toml)"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.run_file_requested.emit(Path(path)))
        dialog.open()

    def _lay_out(self) -> None:
        self.paste_button = QPushButton(self.tr("Paste"))
        self.paste_button.clicked.connect(self._paste)
        self.file_button = QPushButton(self.tr("Open a run file…"))
        give_role(self.file_button, "link")
        self.file_button.clicked.connect(self._choose_run_file)
        buttons = QHBoxLayout()
        buttons.addWidget(self.paste_button)
        buttons.addWidget(self.file_button)
        buttons.addStretch(1)
        buttons.addWidget(self.join_button)
        self.withdraw_button = QToolButton()
        self.withdraw_button.setText("✕")
        self.withdraw_button.setToolTip(self.tr("Join without this file"))
        self.withdraw_button.setAccessibleName(self.tr("Join without this file"))
        give_role(self.withdraw_button, "link")
        self.withdraw_button.clicked.connect(self.run_file_withdrawn)
        self.withdraw_button.hide()
        self.run_file.hide()
        described = QHBoxLayout()
        described.addWidget(self.run_file, 1)
        described.addWidget(self.withdraw_button, 0, Qt.AlignmentFlag.AlignVCenter)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(10)
        rows.addWidget(self.offer)
        rows.addLayout(described)
        for part in (self.field, self._hint, self.callout):
            rows.addWidget(part)
        rows.addLayout(buttons)
