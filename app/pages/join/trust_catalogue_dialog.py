"""Asks before a catalogue of runs is added: who has signed it, and what trusting that key means."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from app.appearance.line_breaks import breakable
from core.catalogue.signed_file import SignedCatalogue
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts.catalogues.entries import title_of

translate = QCoreApplication.translate  # lupdate knows it by this name only


class TrustCatalogueDialog(QMessageBox):
    """A question with two buttons; ``trust`` is called if the person wants the list.

    Where the list was signed with another key until now, ``known_key``, it is a warning.
    """

    def __init__(
        self, parent: QWidget, source: str, read: SignedCatalogue, known_key: str, trust: Callable[[], None]
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setTextFormat(Qt.TextFormat.PlainText)
        is_other = known_key not in ("", read.publisher)
        self.setIcon(QMessageBox.Icon.Warning if is_other else QMessageBox.Icon.Question)
        runs = translate("TrustCatalogue", "%n run(s)", "", len(read.catalogue.run))
        question = translate("TrustCatalogue", "Add the list “%1” with %2?")
        self.setText(fill_placeholders(question, title_of(read.catalogue), runs))
        words = [breakable(sanitize_line(source, 300))]
        if is_other:
            other = translate("TrustCatalogue", "Until now it was signed with the key %1, which will be forgotten.")
            words.append(fill_placeholders(other, known_key))
        signed = translate(
            "TrustCatalogue",
            "It is signed with the key %1. Compare it with the one that its publisher posts elsewhere: from now on, "
            "only lists with this key are shown. A list never starts anything; you see each run before you agree.",
        )
        words.append(fill_placeholders(signed, read.publisher))
        self.setInformativeText("\n\n".join(words))
        self.trust_button = self.addButton(
            translate("TrustCatalogue", "Add the list"), QMessageBox.ButtonRole.AcceptRole
        )
        self.trust_button.clicked.connect(trust)
        cancel = self.addButton(QMessageBox.StandardButton.Cancel)
        self.setDefaultButton(cancel if is_other else self.trust_button)
