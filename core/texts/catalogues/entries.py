"""A run of a catalogue in words: what it trains, who organises it, whether it fits this computer."""

from __future__ import annotations

from collections.abc import Sequence

from core.catalogue.catalogue import Catalogue, CatalogueEntry
from core.files.disk_space import DiskSpace
from core.hardware.device import Device
from core.hardware.fit import Fit, FitVerdict, compare_needs
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line, sanitize_text, short_id
from core.texts import figures
from core.texts.fit import verdict_on
from core.texts.localization import translate

_LONGEST_NAME, _LONGEST_DESCRIPTION = 120, 600
_FROM_GOOD_TO_BAD: tuple[FitVerdict, ...] = ("fits", "tight", "unknown", "too_little")


def title_of(catalogue: Catalogue) -> str:
    """Return the title of the list, sanitized."""
    return sanitize_line(catalogue.title, _LONGEST_NAME) or translate("Catalogue", "A list without a title")


def name_of(entry: CatalogueEntry) -> str:
    """Return the run's name, or its id where the name has nothing that can be shown."""
    return sanitize_line(entry.name, _LONGEST_NAME) or entry.id


def description_of(entry: CatalogueEntry) -> str:
    """Return the organiser's own text, sanitized."""
    return sanitize_text(entry.description, _LONGEST_DESCRIPTION).strip()


def facts_of(entry: CatalogueEntry) -> str:
    """Return who organises the run, and what is downloaded: ``by 12D3KooWM9FV…Nrpw · 21.4 MB to download``."""
    words = [fill_placeholders(translate("Catalogue", "by %1"), short_id(entry.organiser))]
    if entry.parameters:
        words.append(fill_placeholders(translate("Catalogue", "%1 parameters"), figures.count(entry.parameters)))
    if entry.download_bytes:
        words.append(fill_placeholders(translate("Catalogue", "%1 to download"), figures.size(entry.download_bytes)))
    if licence := sanitize_line(entry.license, 60):
        words.append(licence)
    return " · ".join(words)


def fit_of(entry: CatalogueEntry, device: Device, devices: Sequence[Device]) -> Fit:
    """Return how the run fits into the memory of that device and into ordinary memory: the worse of both."""
    needs = compare_needs(entry.needs, device, devices, DiskSpace())
    return needs.memory if needs.gpu is None else max(needs.gpu, needs.memory, key=rank_of)


def rank_of(fit: Fit) -> int:
    """Return the place of a verdict from good to bad, 0 where the run fits."""
    return _FROM_GOOD_TO_BAD.index(fit.verdict)


def fit_words(fit: Fit) -> str:
    """Return the verdict and what is needed, which stay the same while other programs come and go."""
    words = translate("Catalogue", "%1: needs about %2 of memory")
    return fill_placeholders(words, _capitalised(verdict_on(fit)), figures.size(fit.needed_bytes))


def closed_words(entry: CatalogueEntry) -> str:
    """Return why nobody may join the run just now; nothing where it is open."""
    match entry.state:
        case "paused":
            return translate("Catalogue", "paused by its organiser")
        case "finished":
            return translate("Catalogue", "finished by its organiser")
        case _:
            return ""


def _capitalised(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"
