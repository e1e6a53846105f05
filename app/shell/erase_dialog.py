"""Remove my data: say what is kept, ask, and delete it once the program has ended everything."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QMessageBox, QWidget

from core.errors import UserError
from core.files.folders import Folders
from core.records.erase import DataCategory, list_user_data, remove
from core.texts import figures
from core.texts.errors import advice_of, title_of
from core.texts.user_data import name_of

translate = QCoreApplication.translate  # lupdate knows it by this name only


class Removal(QObject):
    """``agreed`` asks for the program's end, after which ``carry_out`` deletes."""

    agreed = Signal()

    def __init__(self, folders: Folders, window: QWidget) -> None:
        super().__init__(window)
        self._folders, self._window = folders, window
        self._with_identity: bool | None = None
        self.box: QMessageBox | None = None

    def ask(self) -> None:
        """Show what is there; nothing is deleted yet."""
        box = self.box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(translate("Removal", "Delete what Workerbee keeps of you, and quit?"))
        box.setInformativeText(_listed(list_user_data(self._folders)))
        keys = QCheckBox(translate("Removal", "This computer's keys, too: swarms will not know it again"))
        box.setCheckBox(keys)
        delete = box.addButton(translate("Removal", "Delete and quit"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        delete.clicked.connect(lambda: self._agree(keys.isChecked()))
        box.open()

    def carry_out(self) -> None:
        """If it was wished: when nothing of ours runs any more."""
        if self._with_identity is None:
            return
        try:
            remove(self._folders, with_identity=self._with_identity)
        except UserError as error:
            words = f"{title_of(error.problem)} {error.detail}\n{advice_of(error.problem)}"
            print(words, file=sys.stderr)

    def _agree(self, with_identity: bool) -> None:
        self._with_identity = with_identity
        self.agreed.emit()


def _listed(found: tuple[DataCategory, ...]) -> str:
    kept = [f"{name_of(each.kind)}: {figures.size(each.held_bytes)}" for each in found if each.kind != "identity"]
    return "\n".join(kept)
