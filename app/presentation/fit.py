"""What the review page says about the fit of a run: the sign, the dry run's progress, the advice before Start."""

from __future__ import annotations

from app.presentation.severity import Severity
from core.client.session import Session
from core.hardware.fit import FitVerdict
from core.texts.fit import of_measured
from core.texts.localization import translate

MEANING: dict[FitVerdict, Severity] = {
    "fits": "good",
    "tight": "caution",
    "too_little": "bad",
    "unknown": "unknown",
}


def measured_words(dry_run: Session, swarm_samples_per_second: float | None) -> str:
    """Return what a dry run has measured, or its progress; nothing where there is no dry run."""
    fit = dry_run.fit
    if fit is not None:
        return of_measured(fit, swarm_samples_per_second)
    if dry_run.problem is not None:
        return translate("Fit", "How much fits could not be measured; you may start all the same.")
    if dry_run.phase in ("starting", "leaving"):
        return translate("Fit", "Measuring how much fits… You need not wait for it.")
    return ""


def advice_for(verdict: FitVerdict) -> str:
    """Return what the verdict means for a person who is about to press Start."""
    match verdict:
        case "fits":
            return translate("Fit", "It fits. You can stop at any moment.")
        case "tight":
            return translate("Fit", "It just fits. Close programs that need much memory; stop at any moment.")
        case "too_little":
            return translate("Fit", "It does not fit: training will probably end with an error. You may still try.")
        case "unknown":
            return translate("Fit", "Whether it fits is not known. You may try, and stop at any moment.")
