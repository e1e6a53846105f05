"""What the package does on a system whose Python is newer than the libraries inside; needs none of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from app.desktop.display import is_display_there
from core.engine.pythons import PYTHONS, this_python

_NO_PYTHON_CODE = 7
_ANSWER_SECONDS = 10.0
_FOLDERS = "/usr/bin:/usr/local/bin"


def start_with_other_python(launcher: str, words: Sequence[str], folders: str = _FOLDERS) -> int:
    """Run the launcher again with a Python that has its libraries; where there is none, say so: the exit code."""
    python = find_python(folders)
    if python:
        os.execv(python, [python, "-I", launcher, *words])
    sentence = (
        f"Workerbee is made for Python {PYTHONS[0]} to {PYTHONS[-1]}, and this computer has {this_python()}. "
        f"Update Workerbee, or install one of them beside it, such as python{PYTHONS[-1]}: there is no package index "
        "from which Workerbee could fetch a Python by itself."
    )
    print(sentence, file=sys.stderr)
    if is_display_there() and not sys.stderr.isatty():
        _show(sentence)
    return _NO_PYTHON_CODE


def find_python(folders: str = _FOLDERS) -> str:
    """The path of the newest Python in these folders (as in ``PATH``) that suits and runs; empty where none does."""
    for version in reversed(PYTHONS):
        path = shutil.which(f"python{version}", path=folders)
        if path and _runs(path, version):
            return path
    return ""


def _runs(path: str, version: str) -> bool:
    """Only running it tells: a name on the PATH may be a stub."""
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([path, "-I", "-c", program], capture_output=True, timeout=_ANSWER_SECONDS, text=True)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.stdout.strip() == version


def _show(sentence: str) -> None:
    """In a window: Qt's own libraries work with every later Python, unlike the others inside."""
    try:
        from PySide6.QtWidgets import QApplication, QMessageBox
    except ImportError:
        return
    application = QApplication(sys.argv[:1])
    QMessageBox.warning(None, "Workerbee", sentence)
    application.shutdown()
