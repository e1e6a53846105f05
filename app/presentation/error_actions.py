"""Which one button stands beside a problem, and what it does."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QCoreApplication

from core.engine.python import is_packaged
from core.errors import Problem

translate = QCoreApplication.translate  # lupdate knows it by this name only

Remedy = Literal["again", "back", "settings", "engine", "log"]
"""Try again; back to the start; open the settings; make another engine; show the log."""

_AGAIN = {
    Problem.NOBODY_ANSWERS,
    Problem.MANIFEST_ROLLED_BACK,
    Problem.CLOCK_WRONG,
    Problem.DISK_FULL,
    Problem.FILES_UNREACHABLE,
    Problem.IDENTITY_DAMAGED,
    Problem.ALREADY_PUBLISHING,
    Problem.STATE_NOT_LOADED,
    Problem.STATE_REFUSED,
    Problem.SWARM_LOST,
    Problem.ENGINE_MISSING,
}
_SETTINGS = {
    Problem.NO_SUCH_DEVICE,
    Problem.DEVICE_UNSUITED,
    Problem.NO_ROOM,
    Problem.FOLDER_NOT_WRITABLE,
    Problem.SETTINGS_DAMAGED,
    Problem.PORT_TAKEN,
    Problem.NOT_REACHABLE,
    Problem.NOT_FINITE,
    Problem.OUT_OF_MEMORY,
}
_ENGINE = {Problem.ENGINE_MISSING, Problem.ENGINE_NOT_MADE, Problem.PROTOCOL_MISMATCH}
_LOG = {
    Problem.HISTORY_NOT_KEPT,
    Problem.HISTORY_DAMAGED,
    Problem.CHECKPOINT_DAMAGED,
    Problem.PROTOCOL_MISMATCH,
    Problem.WORKER_CRASHED,
    Problem.WORKER_NONSENSE,
    Problem.INTERNAL,
}


def remedy_of(problem: Problem) -> Remedy:
    """What the button does; where nothing here can mend it, it leads back to the start."""
    if problem in _ENGINE and is_packaged():
        return "engine"
    if problem in _AGAIN:
        return "again"
    if problem in _SETTINGS:
        return "settings"
    return "log" if problem in _LOG else "back"


def button_of(problem: Problem) -> str:
    """What stands on the button."""
    match remedy_of(problem):
        case "again":
            return translate("Remedy", "Try again")
        case "back":
            return translate("Remedy", "Back to the start")
        case "settings":
            return translate("Remedy", "Open the settings")
        case "engine":
            return translate("Remedy", "Make the engine anew")
        case "log":
            return translate("Remedy", "Show the log")
