"""Whether a run fits on this computer, in words and with the numbers."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.presentation import format as figures
from app.presentation.severity import Severity
from core.client.session import Session
from core.hardware.fit import Fit, FitVerdict, share_of_swarm
from core.placeholders import fill_placeholders
from core.protocol.events import FitMeasured

translate = QCoreApplication.translate  # lupdate knows it by this name only

MEANING: dict[FitVerdict, Severity] = {
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
        return fill_placeholders(translate("Fit", "Needs about %1; how much is free is not known."), needed)
    free = figures.size(fit.available_bytes)
    if fit.is_limited:
        limited = translate("Fit", "Needs about %1; %2 are left of the limit that the settings set.")
        return fill_placeholders(limited, needed, free)
    if fit.verdict != "too_little":
        return fill_placeholders(translate("Fit", "Needs about %1; %2 are free."), needed, free)
    sentence = translate("Fit", "Needs about %1; only %2 are free.")
    if fit.is_freeable:
        sentence = translate("Fit", "Needs about %1; only %2 are free now. Closing other programs may help.")
    return fill_placeholders(sentence, needed, free)


def measured_words(dry_run: Session, swarm_samples_per_second: float | None) -> str:
    """What a dry run has found, or how it goes; nothing where there is none."""
    fit = dry_run.fit
    if fit is not None:
        return of_measured(fit, swarm_samples_per_second)
    if dry_run.problem is not None:
        return translate("Fit", "How much fits could not be measured; you may start all the same.")
    if dry_run.phase in ("starting", "leaving"):
        return translate("Fit", "Measuring how much fits… You need not wait for it.")
    return ""


def of_measured(fit: FitMeasured, swarm_samples_per_second: float | None) -> str:
    """``Fits with micro-batch 4 · about 31 samples/s · 0.4 % of the swarm``."""
    if fit.micro_batch == 0:
        return translate("Fit", "Measured: there is no memory for even one sample.")
    parts = [fill_placeholders(translate("Fit", "Fits with micro-batch %1"), figures.count(fit.micro_batch))]
    if fit.samples_per_second is not None:
        parts.append(fill_placeholders(translate("Fit", "about %1 samples/s"), figures.number(fit.samples_per_second)))
        share = share_of_swarm(fit.samples_per_second, swarm_samples_per_second)
        if share is not None:
            parts.append(fill_placeholders(translate("Fit", "%1 of the swarm"), figures.share(share)))
    return " · ".join(parts)


def advice_for(verdict: FitVerdict) -> str:
    """What all of it together means for whoever is about to press Start."""
    match verdict:
        case "fits":
            return translate("Fit", "It fits. You can stop at any moment.")
        case "tight":
            return translate("Fit", "It just fits. Close programs that need much memory; stop at any moment.")
        case "too_little":
            return translate("Fit", "It does not fit: training will probably end with an error. You may still try.")
        case "unknown":
            return translate("Fit", "Whether it fits is not known. You may try, and stop at any moment.")
