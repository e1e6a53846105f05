"""The names of the kinds of data that Workerbee keeps of a person."""

from __future__ import annotations

from core.records.erase import Kind
from core.texts.localization import translate


def name_of(kind: Kind) -> str:
    """Return what a kind of data is called in a list."""
    match kind:
        case "engine":
            return translate("Removal", "The training engine")
        case "runs":
            return translate("Removal", "Runs that you published, and their checkpoints")
        case "history":
            return translate("Removal", "Curves, and what you have given")
        case "caches":
            return translate("Removal", "Caches")
        case "settings":
            return translate("Removal", "Settings")
        case "logs":
            return translate("Removal", "Logs")
        case "identity":
            return translate("Removal", "This computer's keys")
