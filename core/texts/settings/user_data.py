"""The names of the categories of data that Workerbee keeps of a person."""

from __future__ import annotations

from core.records.erase import Category
from core.texts.localization import translate


def name_of(category: Category) -> str:
    """Return what a category of data is called in a list."""
    match category:
        case "engine":
            return translate("Removal", "The training engine")
        case "downloads":
            return translate("Removal", "Downloaded models and data sets")
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
