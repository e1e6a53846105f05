"""Sentences that the worker or the client composed, in the language of whoever reads them."""

from __future__ import annotations

from core.localizable import Detail
from core.placeholders import fill_placeholders
from core.texts.localization import translate


def translate_message(message: Detail) -> str:
    """Return the message with its placeholders filled; a text that is in no catalogue stays as it is."""
    if isinstance(message, str):
        return message
    if not message:
        return ""
    sentence = translate("Worker", message.sentence)
    return fill_placeholders(sentence, *map(translate_message, message.blanks))
