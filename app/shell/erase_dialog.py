"""The dialog of *Remove my data*: it lists what is kept, asks, and has it deleted once the program has ended."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QMessageBox, QWidget

from app.controllers.thread_bridge import Bridge
from core.errors import UserError
from core.files.folders import Folders
from core.records.erase import (
    ALL_BUT_IDENTITY,
    CATEGORIES,
    Category,
    erase_user_data,
    look_up_sizes,
    refuse_beside_service,
)
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
        box: the dialog, while it is open.
        refusal: what is said in its place while the service runs, until it is closed.
    """

    agreed = Signal()

    def __init__(self, folders: Folders, bridge: Bridge, window: QWidget) -> None:
        super().__init__(window)
        self._folders, self._bridge, self._window = folders, bridge, window
        self._agreed_to: frozenset[Category] = frozenset()
        self.box: QMessageBox | None = None
        self.refusal: QMessageBox | None = None
        bridge.sizes_arrived.connect(self._show_sizes)

    def open(self) -> None:
        """Show what is kept, and ask; nothing is deleted yet."""
        if self._is_refused():
            return
        box = self.box = self._warning(translate("Removal", "Delete what Workerbee keeps of you, and quit?"))
        box.setInformativeText(translate("Removal", "Counting what is kept…"))
        keys = QCheckBox(translate("Removal", "This computer's keys, too: swarms will not know it again"))
        box.setCheckBox(keys)
        delete = box.addButton(translate("Removal", "Delete and quit"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        delete.clicked.connect(lambda: self._agree(CATEGORIES if keys.isChecked() else ALL_BUT_IDENTITY))
        if self._folders.contents.fetched.exists():
            role = QMessageBox.ButtonRole.DestructiveRole
            downloads = box.addButton(translate("Removal", "Delete downloads only, and quit"), role)
            downloads.clicked.connect(lambda: self._agree(frozenset({"downloads"})))
        box.finished.connect(self._forget_box)
        box.open()
        look_up_sizes(self._folders, self._bridge.post_sizes)

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
        if not self._is_refused():
            self._agreed_to = categories
            self.agreed.emit()

    def _is_refused(self) -> bool:
        """Whether nothing would be deleted because the service runs, which the person is told."""
        try:
            refuse_beside_service(self._folders)
        except UserError as error:
            box = self.refusal = self._warning(title_of(error.problem))
            box.setInformativeText(translate_message(error.detail))
            box.addButton(QMessageBox.StandardButton.Close)
            box.finished.connect(self._forget_refusal)
            box.open()
            return True
        return False

    def _warning(self, text: str) -> QMessageBox:
        """A dialog with that text."""
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(text)
        return box

    def _show_sizes(self, sizes: dict[Category, int]) -> None:
        if self.box is not None:
            kept = {name_of(category): held for category, held in sizes.items() if category != "identity"}
            self.box.setInformativeText("\n".join(f"{name}: {figures.size(held)}" for name, held in kept.items()))

    def _forget_box(self) -> None:
        self.box = None

    def _forget_refusal(self) -> None:
        self.refusal = None
