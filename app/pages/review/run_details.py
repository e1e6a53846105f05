"""The details of one run, for a person who is about to agree to it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.appearance.line_breaks import breakable
from app.pages.review.further_devices import FurtherDevices
from app.pages.review.privacy_card import PrivacyCard
from app.pages.review.requirements_card import RequirementsCard
from app.presentation.run import facts_of, homepage_of
from app.widgets.callout import Callout
from app.widgets.expandable_text import ExpandableText
from app.widgets.key_value_list import KeyValueList
from app.widgets.labels import Heading, Title
from app.widgets.layout.card import Card
from app.widgets.layout.responsive_row import ResponsiveRow
from core.placeholders import fill_placeholders
from core.protocol.events import RunFound
from core.run.manifest import RunManifest
from core.texts.consent import changes_since
from core.texts.run import closed_words, notice_of, order_words, title_of, trust_in


class RunDetails(QWidget):
    """One run in full: title, description, who vouches for it, requirements, privacy, and facts."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.description = Title(), ExpandableText()
        self.changes, self.closed, self.notice, self.trust = Callout(), Callout(), Callout(), Callout()
        self.needs, self.visible_card, self.facts = RequirementsCard(), PrivacyCard(), KeyValueList()
        self.further_devices = FurtherDevices()
        self.link = QPushButton(self.tr("Open its page in the browser"))
        self.link.clicked.connect(self._open_homepage)
        self._homepage = ""
        about = Card()
        about.parts.addWidget(Heading(self.tr("About this run")))
        about.parts.addWidget(self.facts)
        about.parts.addWidget(self.link, 0, Qt.AlignmentFlag.AlignLeft)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(16)
        for part in (self.title, self.changes, self.closed, self.notice, self.description, self.trust):
            rows.addWidget(part)
        rows.addWidget(ResponsiveRow(self.needs, self.visible_card, (4, 3)))
        rows.addWidget(self.further_devices)
        rows.addWidget(about)
        rows.addStretch(1)

    def show_run(self, run: RunFound, agreed: RunManifest | None = None) -> None:
        """Show what the manifest of a run says, sanitised, and what is new in it to who has ``agreed`` to another."""
        self.title.setText(breakable(title_of(run)))
        self.description.show_text(run.manifest.run.description)
        self.facts.show_facts(facts_of(run))
        self._show_changes(run, agreed)
        self._show_warnings(run)
        self._homepage = homepage_of(run)
        self.link.setVisible(bool(self._homepage))

    def _show_changes(self, run: RunFound, agreed: RunManifest | None) -> None:
        lines = changes_since(agreed, run.manifest) if agreed is not None else ()
        if agreed is None:
            self.changes.clear()
        elif lines:
            title = self.tr("The organiser has changed this run since you agreed to it.")
            advice = self.tr("Nothing of it is downloaded or trained before you agree again.")
            self.changes.show_message("caution", title, breakable("\n".join(lines)), advice)
        else:
            self.changes.show_message("good", self.tr("You have agreed to this run before; it has not changed since."))

    def _show_warnings(self, run: RunFound) -> None:
        closed, notice = closed_words(run) or order_words(run.order), notice_of(run)
        if closed:
            self.closed.show_message("caution", closed)
        else:
            self.closed.clear()
        if notice:
            sentence = fill_placeholders(self.tr("The organiser says: %1"), notice)
            self.notice.show_message("info", breakable(sentence))
        else:
            self.notice.clear()
        title, detail = trust_in(run)
        self.trust.show_message("good" if run.vouched else "caution", title, detail)

    def _open_homepage(self) -> None:
        if self._homepage:
            QDesktopServices.openUrl(QUrl(self._homepage))
