"""Asks before the key of a run's organiser is forgotten, and says what that means."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line, short_id

translate = QCoreApplication.translate  # lupdate knows it by this name only


class ForgetKeyDialog(QMessageBox):
    """A warning with two buttons; ``forget`` is called if the person wants the key forgotten."""

    def __init__(self, parent: QWidget, run_id: str, organiser: str, forget: Callable[[], None]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setIcon(QMessageBox.Icon.Warning)
        self.setTextFormat(Qt.TextFormat.PlainText)
        question = translate("ForgetKey", "Forget who signed the run “%1” until now?")
        self.setText(fill_placeholders(question, sanitize_line(run_id, 100)))
        meaning = translate(
            "ForgetKey",
            "It was signed by %1. Whoever signs it next will be trusted in its place, and decides what this computer "
            "trains. Ask the organiser, by another way than the run's address, whether the key was changed.",
        )
        self.setInformativeText(fill_placeholders(meaning, short_id(organiser)))
        self.forget_button = self.addButton(
            translate("ForgetKey", "Forget the key"), QMessageBox.ButtonRole.DestructiveRole
        )
        self.forget_button.clicked.connect(forget)
        self.setDefaultButton(self.addButton(QMessageBox.StandardButton.Cancel))
