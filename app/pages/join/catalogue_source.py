"""One catalogue below the runs that it lists: its title, its key and date, what is wrong with it, and its buttons."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.appearance.line_breaks import breakable
from app.appearance.theme import give_role
from app.widgets.callout import Callout
from app.widgets.labels import Hint
from app.widgets.layout.flow_layout import FlowLayout
from core.catalogue.store import KnownCatalogue
from core.placeholders import fill_placeholders
from core.security.sanitize import short_id
from core.texts import figures
from core.texts.catalogues.entries import title_of
from core.texts.catalogues.refusals import refusal_words


class CatalogueSource(QWidget):
    """What is known of one catalogue.

    Signals:
        refresh_requested: read it again (its source).
        trust_requested: it is signed with another key, which the person may want to trust (its source).
        remove_requested: show it no longer (its source).
    """

    refresh_requested = Signal(str)
    trust_requested = Signal(str)
    remove_requested = Signal(str)

    def __init__(self, known: KnownCatalogue, is_kept: bool, is_read: bool) -> None:
        super().__init__()
        source, title = known.source, title_of(known.catalogue)
        self.callout = Callout()
        self.callout.action_requested.connect(lambda: self.trust_requested.emit(source))
        self.refresh = self._link(self.tr("Reading it…") if is_read else self.tr("Refresh"), title)
        self.refresh.setEnabled(not is_read)
        self.refresh.clicked.connect(lambda: self.refresh_requested.emit(source))
        self.remove = self._link(self.tr("Remove the list"), title)
        self.remove.clicked.connect(lambda: self.remove_requested.emit(source))
        sentence = self.tr("From “%1”, signed by %2, as of %3.")
        words = fill_placeholders(sentence, title, short_id(known.publisher), figures.clock(known.read_at))
        self.words = Hint(breakable(words))
        self._show_refusal(known, is_kept)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(4)
        rows.addWidget(self.words)
        rows.addWidget(self.callout)
        buttons = QWidget()
        flow = FlowLayout(buttons)
        flow.addWidget(self.refresh)
        flow.addWidget(self.remove)
        rows.addWidget(buttons)

    def _show_refusal(self, known: KnownCatalogue, is_kept: bool) -> None:
        if known.refusal is None:
            return
        is_changed = known.refusal.reason == "other_key"
        kept = self.tr("Until it is right again, the list of that day is shown for two weeks.")
        self.callout.show_message(
            "bad" if is_changed else "caution",
            title_of(known.catalogue),
            breakable(refusal_words(known.refusal)),
            kept if is_kept else self.tr("Its runs are no longer shown, since nothing newer has come for two weeks."),
            action=self.tr("Trust the new key…") if is_changed else "",
        )

    def _link(self, text: str, title: str) -> QPushButton:
        button = QPushButton(text)
        button.setAccessibleName(f"{text} ({title})")
        give_role(button, "link")
        return button
