"""Whether a run fits on this computer, in words and with the numbers."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app import figures
from app.filled import filled
from app.widgets.mark import Meaning
from core.fit import Fit, FitVerdict

translate = QCoreApplication.translate  # lupdate knows it by this name only

MEANING: dict[FitVerdict, Meaning] = {
    "fits": "good",
    "tight": "caution",
    "too_little": "bad",
    "unknown": "unknown",
}


def verdict_on(fit: Fit) -> str:
    """The one word that counts."""
    match fit.verdict:
        case "fits":
            return translate("Fit", "fits")
        case "tight":
            return translate("Fit", "tight")
        case "too_little":
            return translate("Fit", "does not fit")
        case "unknown":
            return translate("Fit", "not known")


def numbers_of(fit: Fit) -> str:
    """What is needed, and what there is."""
    if fit.needed_bytes == 0:
        return translate("Fit", "The organiser asks for none.")
    needed = figures.size(fit.needed_bytes)
    if fit.available_bytes is None:
        return filled(translate("Fit", "Needs about %1; how much is free is not known."), needed)
    free = figures.size(fit.available_bytes)
    if fit.is_limited:
        limited = translate("Fit", "Needs about %1; %2 are left of the limit that the settings set.")
        return filled(limited, needed, free)
    if fit.verdict != "too_little":
        return filled(translate("Fit", "Needs about %1; %2 are free."), needed, free)
    sentence = translate("Fit", "Needs about %1; only %2 are free.")
    if fit.is_freeable:
        sentence = translate("Fit", "Needs about %1; only %2 are free now. Closing other programs may help.")
    return filled(sentence, needed, free)


def advice_for(verdict: FitVerdict) -> str:
    """What all of it together means for whoever is about to press Start."""
    match verdict:
        case "fits":
            return translate("Fit", "It fits. You can stop at any moment.")
        case "tight":
            return translate("Fit", "It just fits. Close programs that need much memory; stop at any moment.")
        case "too_little":
            return translate(
                "Fit", "It does not fit: training will probably end with an error. You may still try."
            )
        case "unknown":
            return translate("Fit", "Whether it fits is not known. You may try, and stop at any moment.")
