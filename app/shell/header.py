"""The head of the window: the program's name, and the buttons for an organiser, contributions, help and settings."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.appearance.theme import give_role

_ICON = 26


class Header(QWidget):
    """The head of the window, the same above every page.

    Signals:
        organise_requested: open the page of an organiser.
        contributions_requested: open what was given.
        help_requested: open the help.
        settings_requested: open the settings.
    """

    organise_requested = Signal()
    contributions_requested = Signal()
    help_requested = Signal()
    settings_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._sign, self._name = QLabel(), QLabel("Workerbee")
        self._sign.setFixedSize(_ICON, _ICON)
        give_role(self._name, "heading")
        self.organise, self.contributions = QPushButton(), QPushButton()
        self.help, self.settings = QPushButton(), QPushButton()
        for button, asked in (
            (self.organise, self.organise_requested),
            (self.contributions, self.contributions_requested),
            (self.help, self.help_requested),
            (self.settings, self.settings_requested),
        ):
            give_role(button, "link")
            button.clicked.connect(asked)
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 8, 12, 8)
        row.setSpacing(10)
        row.addWidget(self._sign)
        row.addWidget(self._name)
        row.addStretch(1)
        row.addWidget(self.organise)
        row.addWidget(self.contributions)
        row.addWidget(self.help)
        row.addWidget(self.settings)
        self.organise.hide()
        self._retranslate()

    def offer_organise(self, is_offered: bool) -> None:
        """Show the button for an organiser, unless nobody organises here or that is the page."""
        self.organise.setVisible(is_offered)

    def offer_settings(self, is_offered: bool) -> None:
        """Show the button for the settings, unless the page has one itself or is the settings."""
        self.settings.setVisible(is_offered)

    def offer_contributions(self, is_offered: bool) -> None:
        """Show the button for what was given, unless that is the page."""
        self.contributions.setVisible(is_offered)

    def offer_help(self, is_offered: bool) -> None:
        """Show the button for the help, unless the page is the help itself."""
        self.help.setVisible(is_offered)

    def show_icon(self, icon: QIcon) -> None:
        """Show the program's icon beside its name."""
        self._sign.setPixmap(icon.pixmap(QSize(_ICON, _ICON), self.devicePixelRatioF()))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Retranslate the texts when the language changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def _retranslate(self) -> None:
        self.organise.setText(self.tr("&Organise"))
        self.organise.setAccessibleName(self.tr("Organise"))
        self.organise.setToolTip(self.tr("Runs published from here, and who takes part (Ctrl+O)"))
        self.contributions.setText(self.tr("&Contributions"))
        self.contributions.setAccessibleName(self.tr("Contributions"))
        self.contributions.setToolTip(self.tr("What this computer has given (Ctrl+B)"))
        self.help.setText(self.tr("&Help"))
        self.help.setAccessibleName(self.tr("Help"))
        self.help.setToolTip(self.tr("Help (F1)"))
        self.settings.setText(self.tr("&Settings"))
        self.settings.setAccessibleName(self.tr("Settings"))
        self.settings.setToolTip(self.tr("Settings (Ctrl+,)"))
