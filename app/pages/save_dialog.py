"""Saving a file for a person: where, and in words what has become of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from core.errors import UserError
from core.files.atomic import save_file
from core.placeholders import fill_placeholders
from core.texts.errors import title_of
from core.texts.localization import translate
from core.texts.worker_messages import translate_message


def open_save_dialog(parent: QWidget, title: str, file_name: str, save: Callable[[Path], None]) -> QFileDialog:
    """Ask where to save the file, by that name in the home folder unless the person wants another; then ``save``."""
    dialog = QFileDialog(parent, title, str(Path.home() / file_name))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.fileSelected.connect(lambda path: save(Path(path)))
    dialog.open()
    return dialog


def save_in_words(path: Path, data: bytes, done: str = "") -> str:
    """Write the file, for its owner only; return that it is done, or why it cannot be.

    ``done`` says so in other words than the usual ones, with ``%1`` for the path.
    """
    try:
        save_file(path, data)
    except UserError as error:
        return f"{title_of(error.problem)} {translate_message(error.detail)}"
    return fill_placeholders(done or translate("SaveDialog", "Saved as %1."), str(path))
