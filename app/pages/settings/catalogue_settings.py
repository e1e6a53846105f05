"""The lists of runs that a person has added, each with a button that removes it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.widgets.labels import Heading, Hint
from app.widgets.layout.card import Card
from app.widgets.layout.flow_layout import FlowLayout
from core.catalogue.store import KnownCatalogue
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts.catalogues.entries import title_of

_SHOWN_CHARACTERS, _LONGEST = 40, 300


class CatalogueSettings(Card):
    """The lists of runs, as long as there are any; they are added on the first page.

    Signals:
        remove_requested: show that list no longer, and forget its key (its source).
    """

    remove_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.buttons: list[QPushButton] = []
        self._known: tuple[KnownCatalogue, ...] = ()
        lists = QWidget()
        self._flow = FlowLayout(lists)
        self.parts.setSpacing(14)
        self.parts.addWidget(Heading(self.tr("Lists of runs")))
        self.parts.addWidget(Hint(self.tr("Their runs are on the first page. Removing a list forgets its key, too.")))
        self.parts.addWidget(lists)
        self.hide()

    def show_catalogues(self, known: Sequence[KnownCatalogue]) -> None:
        """Show these lists; the keyboard stays in the card when one is gone, as long as there is another."""
        if tuple(known) == self._known:
            return
        focused = self.window().focusWidget()
        place = next((place for place, button in enumerate(self.buttons) if button is focused), None)
        self._known = tuple(known)
        for button in self.buttons:
            self._flow.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = [self._button(each) for each in self._known]
        for button in self.buttons:
            self._flow.addWidget(button)
            button.show()  # or it cannot have the keyboard yet
        self.setVisible(bool(self.buttons))
        if place is not None and self.buttons:
            self.buttons[min(place, len(self.buttons) - 1)].setFocus()
        self.updateGeometry()

    def _button(self, known: KnownCatalogue) -> QPushButton:
        title, source = title_of(known.catalogue), known.source
        shown = sanitize_line(title, _SHOWN_CHARACTERS).replace("&", "&&")
        button = QPushButton(f"{shown}  ×")
        words = fill_placeholders(self.tr("Remove “%1” from %2"), title, sanitize_line(source, _LONGEST))
        button.setAccessibleName(words)
        button.setToolTip(f"{words}\n{known.publisher}")
        button.clicked.connect(lambda: self.remove_requested.emit(source))
        return button
