"""The window's head: what this is, and the way to the settings."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.strangers_words import safe_line
from app.theme import give_role

_ICON = 26
_LONGEST_TITLE = 200


class Header(QWidget):
    """A long title is cut to what fits; the whole of it is in the tooltip."""

    settings_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._title = ""
        self._sign, self._words = QLabel(), QLabel()
        self._sign.setFixedSize(_ICON, _ICON)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        give_role(self._words, "heading")
        self.settings = QPushButton()
        give_role(self.settings, "link")
        self.settings.clicked.connect(self.settings_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 8, 12, 8)
        row.setSpacing(10)
        row.addWidget(self._sign)
        row.addWidget(self._words, 1)
        row.addWidget(self.settings)
        self._say()
        self.show_title("")

    def show_title(self, title: str, *, offers_settings: bool = True) -> None:
        """A stranger's words, made harmless; without any, the program's own name."""
        self._title = safe_line(title, _LONGEST_TITLE) or self.tr("Workerbee")
        self.settings.setVisible(offers_settings)
        self._fit()

    def show_icon(self, icon: QIcon) -> None:
        """Beside the title."""
        self._sign.setPixmap(icon.pixmap(QSize(_ICON, _ICON), self.devicePixelRatioF()))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """As much of the title as there is room for."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Another language has other words."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._say()

    def _say(self) -> None:
        self.settings.setText(self.tr("&Settings"))
        self.settings.setAccessibleName(self.tr("Settings"))
        self.settings.setToolTip(self.tr("Settings (Ctrl+,)"))

    def _fit(self) -> None:
        room = max(self._words.width(), 40)
        fitting = self._words.fontMetrics().elidedText(self._title, Qt.TextElideMode.ElideRight, room)
        self._words.setText(fitting)
        self._words.setToolTip(self._title if fitting != self._title else "")
        self._words.setAccessibleName(self._title)
