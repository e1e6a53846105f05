"""Which one button stands beside a problem, and what it does."""

from __future__ import annotations

from typing import Literal

from core.engine.python import is_packaged
from core.errors import ErrorKind
from core.texts.localization import translate

Remedy = Literal["again", "back", "settings", "engine", "log"]
"""Try again; back to the start; open the settings; make another engine; show the log."""

_AGAIN = {
    ErrorKind.NOBODY_ANSWERS,
    ErrorKind.MANIFEST_ROLLED_BACK,
    ErrorKind.CLOCK_WRONG,
    ErrorKind.DISK_FULL,
    ErrorKind.FILES_UNREACHABLE,
    ErrorKind.IDENTITY_DAMAGED,
    ErrorKind.ALREADY_PUBLISHING,
    ErrorKind.STATE_NOT_LOADED,
    ErrorKind.STATE_REFUSED,
    ErrorKind.MODEL_UNLEARNED,
    ErrorKind.SWARM_LOST,
    ErrorKind.ENGINE_MISSING,
}
_SETTINGS = {
    ErrorKind.NO_SUCH_DEVICE,
    ErrorKind.DEVICE_UNSUITED,
    ErrorKind.NO_ROOM,
    ErrorKind.FOLDER_NOT_WRITABLE,
    ErrorKind.FOLDER_SHARED,
    ErrorKind.SETTINGS_DAMAGED,
    ErrorKind.PORT_TAKEN,
    ErrorKind.NOT_REACHABLE,
    ErrorKind.NOT_FINITE,
    ErrorKind.OUT_OF_MEMORY,
}
_ENGINE = {ErrorKind.ENGINE_MISSING, ErrorKind.ENGINE_NOT_MADE, ErrorKind.PROTOCOL_MISMATCH}
_LOG = {
    ErrorKind.HISTORY_NOT_KEPT,
    ErrorKind.HISTORY_DAMAGED,
    ErrorKind.CHECKPOINT_DAMAGED,
    ErrorKind.PROTOCOL_MISMATCH,
    ErrorKind.WORKER_CRASHED,
    ErrorKind.WORKER_NONSENSE,
    ErrorKind.INTERNAL,
}


def remedy_of(problem: ErrorKind) -> Remedy:
    """Return what the button beside an error does; where nothing here can help, it leads back to the start."""
    if problem in _ENGINE and is_packaged():
        return "engine"
    if problem in _AGAIN:
        return "again"
    if problem in _SETTINGS:
        return "settings"
    return "log" if problem in _LOG else "back"


def button_of(problem: ErrorKind) -> str:
    """Return the text on the button beside an error."""
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
