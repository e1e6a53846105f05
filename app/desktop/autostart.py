"""Start at login, hidden in the tray: one small file in the desktop's autostart folder."""

from __future__ import annotations

import sys
from pathlib import Path

from app.desktop.launch_request import MINIMISED
from core.files.atomic import delete_file, storage_problem, write_atomically
from core.files.folders import autostart_file
from core.service.program import workerbee_program

_RESERVED = str.maketrans({character: f"\\{character}" for character in '"`$\\'})


def can_start_at_login() -> bool:
    """Whether this system has the autostart folder of freedesktop.org."""
    return sys.platform.startswith("linux")


def set_autostart(is_wanted: bool, *, program: Path | None = None) -> None:
    """Write, rewrite or remove the autostart file; raises UserError where the folder cannot be written."""
    if not can_start_at_login():
        return
    path = autostart_file()
    try:
        if not is_wanted:
            delete_file(path)
            return
        entry = autostart_entry(program or workerbee_program()).encode()
        if path.is_file() and path.read_bytes() == entry:
            return
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(path, entry, mode=0o644)
    except OSError as error:
        raise storage_problem(error, path) from error


def autostart_entry(program: Path) -> str:
    """The text of the autostart file; its ``TryExec`` makes the desktop ignore it once the program is removed.

    https://specifications.freedesktop.org/autostart-spec/latest/
    """
    lines = (
        "[Desktop Entry]",
        "Type=Application",
        "Name=Workerbee",
        "Comment=Lend this computer's GPU to a collaborative training run",
        "Icon=workerbee",
        f"TryExec={_escaped(str(program))}",
        f"Exec={_escaped(_quoted(str(program)))} {MINIMISED}",
        "Terminal=false",
        "StartupNotify=false",
        "X-GNOME-Autostart-enabled=true",
    )
    return "\n".join(lines) + "\n"


def _quoted(word: str) -> str:
    """One word of an Exec line; a percent sign would begin a field code."""
    return f'"{word.translate(_RESERVED)}"'.replace("%", "%%")


def _escaped(text: str) -> str:
    """A value of type string: the backslash is its escape character."""
    return text.replace("\\", "\\\\")
