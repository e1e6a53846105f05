"""Messages that the worker composed, in the language of whoever reads them."""

from __future__ import annotations

from core.placeholders import fill_placeholders
from core.protocol.localizable import LocalizedText
from core.texts.localization import translate


def translate_message(message: LocalizedText) -> str:
    """Return the message with its placeholders filled; a text that is in no catalogue stays English."""
    if not message:
        return ""
    sentence = translate("Worker", message.sentence)
    return fill_placeholders(
        sentence, *(translate_message(each) if isinstance(each, LocalizedText) else each for each in message.blanks)
    )
