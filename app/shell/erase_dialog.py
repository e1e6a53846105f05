"""The dialog of *Remove my data*: it lists what is kept, asks, and has it deleted once the program has ended."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QMessageBox, QWidget

from core.errors import UserError
from core.files.folders import Folders
from core.records.erase import ALL_BUT_IDENTITY, CATEGORIES, Category, DataCategory, erase_user_data, list_user_data
from core.texts import figures
from core.texts.errors import advice_of, title_of
from core.texts.settings.user_data import name_of
from core.texts.worker_messages import translate_message

translate = QCoreApplication.translate  # lupdate knows it by this name only


class EraseDialog(QObject):
    """Asks before anything is deleted, which happens when nothing of the program runs any more.

    Signals:
        agreed: the person wants the data deleted, so the program has to end.

    Attributes:
        box: the dialog, once it was opened.
    """

    agreed = Signal()

    def __init__(self, folders: Folders, window: QWidget) -> None:
        super().__init__(window)
        self._folders, self._window = folders, window
        self._agreed_to: frozenset[Category] = frozenset()
        self.box: QMessageBox | None = None

    def open(self) -> None:
        """Show what is kept, and ask; nothing is deleted yet."""
        box = self.box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(translate("Removal", "Delete what Workerbee keeps of you, and quit?"))
        found = list_user_data(self._folders)
        box.setInformativeText(_listed(found))
        keys = QCheckBox(translate("Removal", "This computer's keys, too: swarms will not know it again"))
        box.setCheckBox(keys)
        delete = box.addButton(translate("Removal", "Delete and quit"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        delete.clicked.connect(lambda: self._agree(CATEGORIES if keys.isChecked() else ALL_BUT_IDENTITY))
        if any(each.category == "downloads" for each in found):
            role = QMessageBox.ButtonRole.DestructiveRole
            downloads = box.addButton(translate("Removal", "Delete downloads only, and quit"), role)
            downloads.clicked.connect(lambda: self._agree(frozenset({"downloads"})))
        box.open()

    def erase_if_agreed(self) -> None:
        """Delete what the person has agreed to; to be called when nothing of ours runs any more."""
        if not self._agreed_to:
            return
        try:
            erase_user_data(self._folders, self._agreed_to)
        except UserError as error:
            words = f"{title_of(error.problem)} {translate_message(error.detail)}\n{advice_of(error.problem)}"
            print(words, file=sys.stderr)

    def _agree(self, categories: frozenset[Category]) -> None:
        self._agreed_to = categories
        self.agreed.emit()


def _listed(found: tuple[DataCategory, ...]) -> str:
    kept = (each for each in found if each.category != "identity")
    return "\n".join(f"{name_of(each.category)}: {figures.size(each.held_bytes)}" for each in kept)
