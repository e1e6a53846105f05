"""The card of the order in which runs are helped: rows to move and remove, runs to add, and the last changes."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton, QVBoxLayout, QWidget

from app.appearance.line_breaks import breakable
from app.appearance.theme import give_role
from app.pages.order.row import OrderRowWidget
from app.pages.order.view import Key, OrderView
from app.widgets.inline_inputs import Choice
from app.widgets.labels import Heading, Hint, Words
from app.widgets.layout.card import Card
from app.widgets.layout.flow_layout import FlowLayout
from app.widgets.menu_button import MenuButton

_SHOWN_CHANGES = 3


class OrderCard(Card):
    """Shows the order; it is hidden where there is none, and nothing that could be added.

    Signals:
        moved: that run is to be so many places later (its key, a number).
        removed: strike that run from the order (its key).
        added: put that run at the end (its key).
        look_requested: look at what has changed in that run (its key).
        return_chosen: go back to an earlier run after so many minutes, or ``None`` for the end of the present one.
        begin_requested: help the runs in their order.
    """

    moved = Signal(object, int)
    removed = Signal(object)
    added = Signal(object)
    look_requested = Signal(object)
    return_chosen = Signal(object)
    begin_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = OrderView()
        self.rows: dict[Key, OrderRowWidget] = {}
        self._is_unfolded = False
        self._heading, self._hint, self._changes = Heading(), Hint(), Hint()
        self.all_changes = QPushButton(self)
        give_role(self.all_changes, "link")
        self.all_changes.clicked.connect(self._unfold)
        self.add, self.begin = MenuButton(self), QPushButton(self)
        self._menu = QMenu(self.add)
        self.add.setMenu(self._menu)
        self._return_words, self.return_after = Words(), Choice("", self)
        self._return_words.setWordWrap(False)
        self.return_after.chosen.connect(self.return_chosen)
        self.begin.clicked.connect(self.begin_requested)
        self._lay_out()
        self._retranslate()
        self.hide()

    @property
    def text(self) -> str:
        """The lines of the last changes."""
        return self._changes.text().replace("\u200b", "")

    def show_order(self, view: OrderView) -> None:
        """Show that order; one that is the same already is left alone, and so is the focus in it."""
        if view == self._shown:
            return
        self._shown = view
        self._show()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the texts when the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            self._show()
        super().changeEvent(event)

    def _show(self) -> None:
        view = self._shown
        focus = self._focus()
        for row in self.rows.values():
            self._box.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = {}
        for number, each in enumerate(view.rows, start=1):
            row = OrderRowWidget(each, number, len(view.rows))
            row.moved.connect(partial(self.moved.emit, each.key))
            row.removed.connect(partial(self.removed.emit, each.key))
            row.look_requested.connect(partial(self.look_requested.emit, each.key))
            self.rows[each.key] = row
            self._box.addWidget(row)
        self._menu.clear()
        for key, name in view.addable:
            self._menu.addAction(name.replace("&", "&&")).triggered.connect(partial(self._add, key))
        self.add.setEnabled(bool(view.addable))
        self._restore_focus(focus)
        self.return_after.show_chosen(view.return_after_minutes)
        self._return.setVisible(len(view.rows) > 1)
        self.begin.setVisible(view.can_begin and bool(view.rows))
        self._show_changes()
        self.setVisible(bool(view.rows or view.addable))

    def _add(self, key: Key, _is_checked: bool = False) -> None:
        self.added.emit(key)

    def _show_changes(self) -> None:
        """The newest of them, until the person wants to see all."""
        changes = self._shown.changes
        shown = changes if self._is_unfolded else changes[:_SHOWN_CHANGES]
        self._changes.set_text("\n".join(breakable(change) for change in shown))
        self.all_changes.setVisible(len(shown) < len(changes))

    def _unfold(self) -> None:
        self._is_unfolded = True
        self._show_changes()

    def _focus(self) -> tuple[Key, int] | None:
        """Which run's button has the focus, which a moved run keeps."""
        buttons = ((key, number, each) for key, row in self.rows.items() for number, each in enumerate(row.buttons))
        return next(((key, number) for key, number, each in buttons if each.hasFocus()), None)

    def _restore_focus(self, focus: tuple[Key, int] | None) -> None:
        """To the same button of the same run, or to its neighbour where that is of no use there."""
        if focus is None:
            return
        row = self.rows.get(focus[0])
        if row is None:
            self.add.setFocus()
            return
        wanted = row.buttons[focus[1]]
        usable = [each for each in (wanted, row.down, row.up) if each.isEnabled()]
        (usable[0] if usable else row.remove).setFocus()

    def _lay_out(self) -> None:
        self._box = QVBoxLayout()
        self._box.setSpacing(6)
        self._return = QWidget()
        sentence = FlowLayout(self._return)
        sentence.addWidget(self._return_words)
        sentence.addWidget(self.return_after)
        buttons = QWidget()
        line = FlowLayout(buttons, between=8)
        line.addWidget(self.begin)
        line.addWidget(self.add)
        self.parts.addWidget(self._heading)
        self.parts.addWidget(self._hint)
        self.parts.addLayout(self._box)
        for part in (self._return, buttons, self._changes):
            self.parts.addWidget(part)
        self.parts.addWidget(self.all_changes, 0, Qt.AlignmentFlag.AlignLeft)
        self._changes.hide()
        self.all_changes.hide()

    def _retranslate(self) -> None:
        self._heading.setText(self.tr("Order of runs"))
        self._hint.setText(self.tr("Where a run has ended or cannot be helped, the next one begins."))
        self.add.setText(self.tr("Add a run"))
        self.begin.setText(self.tr("Help in this order"))
        self.all_changes.setText(self.tr("Show all changes"))
        self._return_words.setText(self.tr("Go back to an earlier run"))
        self.return_after.setAccessibleName(self.tr("When to go back to an earlier run"))
        self.return_after.show_choices(
            (
                (self.tr("when the present one ends"), None),
                (self.tr("after half an hour"), 30),
                (self.tr("after 2 hours"), 120),
                (self.tr("after 8 hours"), 480),
            )
        )
        self.return_after.show_chosen(self._shown.return_after_minutes)
