"""Why a catalogue of runs is not accepted, in words; a stranger's text in them is sanitized."""

from __future__ import annotations

from core.catalogue.catalogue import MAX_CATALOGUE_BYTES, MAX_RUNS
from core.catalogue.refusal import Refusal
from core.placeholders import fill_placeholders
from core.security.sanitize import sanitize_line
from core.texts import figures
from core.texts.localization import translate
from core.texts.worker_messages import translate_message

_LONGEST = 300


def refusal_words(refusal: Refusal) -> str:
    """Return what is wrong with a catalogue, as one or two sentences."""
    detail = sanitize_line(translate_message(refusal.detail), _LONGEST)
    match refusal.reason:
        case "no_address":
            return translate("Catalogue", "This is neither an https:// address nor the whole path of a file.")
        case "unreachable":
            words = translate("Catalogue", "The list could not be read: %1")
            return fill_placeholders(words, detail or translate("Catalogue", "nobody answers."))
        case "too_large":
            words = translate("Catalogue", "The list was refused: it has more than %1.")
            return fill_placeholders(words, figures.size(MAX_CATALOGUE_BYTES))
        case "too_many_runs":
            words = translate("Catalogue", "The list was refused: it names %1 runs, and %2 are the most.")
            return fill_placeholders(words, detail, figures.count(MAX_RUNS))
        case "unsigned":
            return translate("Catalogue", "The list was refused: nobody has signed it, or it is something else.")
        case "wrong_signature":
            return translate("Catalogue", "The list was refused: its signature is wrong, so it was changed by others.")
        case "unreadable":
            return fill_placeholders(translate("Catalogue", "The list was refused: %1"), detail)
        case "too_new":
            return translate("Catalogue", "The list was made by a newer Workerbee. Update Workerbee to read it.")
        case "expired":
            return fill_placeholders(translate("Catalogue", "The list was refused: it was valid until %1."), detail)
        case "other_key":
            words = translate("Catalogue", "The list was refused: it is now signed with another key, %1.")
            return fill_placeholders(words, detail)
        case "older":
            words = translate("Catalogue", "The list was refused: it is of %1, and a newer one was seen before.")
            return fill_placeholders(words, detail)
        case "no_engine":
            return translate("Catalogue", "The list cannot be verified before the training engine is made.")
        case "full":
            return translate("Catalogue", "There are too many lists already; remove one of them first.")
