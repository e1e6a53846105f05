"""The card of what organisers and keepers have signed for, with a button that saves it for them."""

from __future__ import annotations

from pathlib import Path

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton

from app.pages.save_dialog import open_save_dialog, save_in_words
from app.widgets.labels import Hint, Words
from app.widgets.layout.card import Card
from core.placeholders import fill_placeholders
from core.run.receipt_file import KeptReceipt, ReceiptFile
from core.texts import figures
from core.texts.localization import translate

FILE_NAME = "workerbee-receipts.json"


class ReceiptsCard(Card):
    """How many samples were signed for; hidden while there are no receipts.

    Attributes:
        save_button: opens the dialog for the file.
        state: what has become of the file, in words.
        files: the dialog for the file, once it was asked for.
    """

    def __init__(self) -> None:
        super().__init__()
        self._receipts: tuple[KeptReceipt, ...] = ()
        self.files: QFileDialog | None = None
        self._words, self.state = Words(), Hint()
        self.save_button = QPushButton(self.tr("Save receipts…"))
        self.save_button.clicked.connect(self._choose_file)
        self.parts.addWidget(self._words)
        self.parts.addWidget(Hint(self.tr("With a receipt an organiser can thank you: it names nobody but your key.")))
        self.parts.addWidget(self.save_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.parts.addWidget(self.state)
        self.state.hide()
        self.hide()

    @property
    def text(self) -> str:
        """What the card says of the samples."""
        return self._words.text()

    def show_receipts(self, receipts: tuple[KeptReceipt, ...]) -> None:
        """Show these receipts; of several for one key and run, the highest counts."""
        self._receipts = receipts
        highest: dict[tuple[str, str], int] = {}
        for each in receipts:
            place = (each.run_id, each.key)
            highest[place] = max(each.samples, highest.get(place, 0))
        runs = len({run_id for run_id, _ in highest})
        words = translate("ReceiptsCard", "Organisers have signed for %1 samples of yours in %n run(s).", "", runs)
        self._words.set_text(fill_placeholders(words, figures.count(sum(highest.values()))) if receipts else "")
        self.setVisible(bool(receipts))

    def save(self, path: Path) -> None:
        """Write the receipts there, and say so; or why that cannot be done."""
        self.state.set_text(save_in_words(path, msgspec.json.encode(ReceiptFile(receipts=self._receipts))))

    def _choose_file(self) -> None:
        self.files = open_save_dialog(self, self.tr("Save the receipts"), FILE_NAME, self.save)
