"""The settings of checks for newer versions: whether, of whom, and the newer version that is known."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QPushButton

from app.appearance.line_breaks import breakable
from app.desktop.external_link import open_web_link
from app.presentation.newer_versions import installation_words
from app.widgets.labels import Heading, Hint
from app.widgets.layout.card import Card
from core.placeholders import fill_placeholders
from core.records.settings import Settings
from core.security.sanitize import sanitize_line
from core.updates.notice import UpdateNotice
from core.updates.publisher import source_of


class UpdateSettings(Card):
    """The settings of checks for newer versions.

    Signals:
        change_requested: the field that a person has changed, with its new value (a dict).
    """

    change_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.tick = QCheckBox(self.tr("Look for a newer version every two weeks"))
        self.hint = Hint()
        self.newer = QPushButton()
        self.installation = Hint()
        self._page = ""
        self.newer.hide()
        self.installation.hide()
        self.tick.clicked.connect(lambda is_wanted: self.change_requested.emit({"update_check": is_wanted}))
        self.newer.clicked.connect(lambda: open_web_link(self._page))
        self.parts.setSpacing(14)
        self.parts.addWidget(Heading(self.tr("Newer versions")))
        self.parts.addWidget(self.tick)
        self.parts.addWidget(self.hint)
        self.parts.addWidget(self.newer, 0, Qt.AlignmentFlag.AlignLeft)
        self.parts.addWidget(self.installation)
        self.show_settings(Settings())

    def show_settings(self, settings: Settings) -> None:
        """Show the setting, without emitting anything; disabled where nobody is named who announces versions."""
        source = source_of(settings)
        self.tick.setChecked(settings.update_check and source is not None)
        self.tick.setEnabled(source is not None)
        if source is None:
            self.hint.set_text(self.tr("Whoever built this Workerbee has named nobody who announces newer ones."))
        else:
            words = self.tr("%1 is asked, and sees your IP address. Nothing is downloaded by itself.")
            self.hint.set_text(breakable(fill_placeholders(words, sanitize_line(source.host, 253))))

    def show_newer(self, notice: UpdateNotice | None) -> None:
        """Show a button that opens the page of a newer version, and how it is installed; ``None`` hides both."""
        if notice is not None:
            self._page = notice.page
            self.newer.setText(fill_placeholders(self.tr("Workerbee %1 is there: open its page"), notice.version))
        self.newer.setVisible(notice is not None)
        self.installation.set_text("" if notice is None else installation_words(notice))
