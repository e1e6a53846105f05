"""Whether a run fits on this computer: the verdict, the needed and available bytes, the result of a dry run."""

from __future__ import annotations

from core.hardware.fit import Fit, share_of_swarm
from core.placeholders import fill_placeholders
from core.protocol.events import FitMeasured
from core.texts import figures
from core.texts.localization import translate


def verdict_on(fit: Fit) -> str:
    """Return the verdict in one or two words."""
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
    """Return the sentence with the bytes that are needed and that are free."""
    if fit.needed_bytes == 0:
        return translate("Fit", "The organiser asks for none.")
    needed = figures.size(fit.needed_bytes)
    if fit.available_bytes is None:
        return fill_placeholders(translate("Fit", "Needs about %1; how much is free is not known."), needed)
    free = figures.size(fit.available_bytes)
    if fit.is_limited:
        limited = translate("Fit", "Needs about %1; %2 are left of the limit that is set.")
        return fill_placeholders(limited, needed, free)
    if fit.verdict != "too_little":
        return fill_placeholders(translate("Fit", "Needs about %1; %2 are free."), needed, free)
    sentence = translate("Fit", "Needs about %1; only %2 are free.")
    if fit.is_freeable:
        sentence = translate("Fit", "Needs about %1; only %2 are free now. Closing other programs may help.")
    return fill_placeholders(sentence, needed, free)


def of_measured(fit: FitMeasured, swarm_samples_per_second: float | None) -> str:
    """Return what a dry run has measured: ``Fits with micro-batch 4 · about 31 samples/s · 0.4 % of the swarm``."""
    if fit.micro_batch == 0:
        return translate("Fit", "Does not fit: there is no memory for even one sample")
    parts = [fill_placeholders(translate("Fit", "Fits with micro-batch %1"), figures.count(fit.micro_batch))]
    if fit.samples_per_second is not None:
        parts.append(fill_placeholders(translate("Fit", "about %1 samples/s"), figures.amount(fit.samples_per_second)))
        share = share_of_swarm(fit.samples_per_second, swarm_samples_per_second)
        if share is not None:
            parts.append(fill_placeholders(translate("Fit", "%1 of the swarm"), figures.share(share)))
    return " · ".join(parts)
