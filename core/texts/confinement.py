"""What the training process can reach on this computer although it should not, in one sentence."""

from __future__ import annotations

from collections.abc import Collection

from core.placeholders import fill_placeholders
from core.security.confinement.gaps import Gap
from core.texts.localization import translate


def confinement_words(gaps: Collection[Gap]) -> str:
    """Return the sentence, also where nothing is missing."""
    if not gaps:
        return translate("Confinement", "The training process reaches nothing but the data of its runs.")
    if "everything" in gaps:
        return translate("Confinement", "The training process is not confined here: it can do what you can.")
    reached = ", ".join(_name_of(gap) for gap in gaps)
    return fill_placeholders(
        translate("Confinement", "This system does not keep the training process from: %1."), reached
    )


def _name_of(gap: Gap) -> str:
    match gap:
        case "everything":
            return translate("Confinement", "everything that you can do")
        case "files":
            return translate("Confinement", "your other files")
        case "truncation":
            return translate("Confinement", "emptying your other files")
        case "network":
            return translate("Confinement", "connecting to other computers by itself")
        case "signals":
            return translate("Confinement", "ending your other programs")
        case "sockets":
            return translate("Confinement", "the sockets of your session and of SSH agents")
        case "system_calls":
            return translate("Confinement", "rarely used functions of the system")
        case "privileges":
            return translate("Confinement", "programs that run with more rights")
