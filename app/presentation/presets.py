"""The presets of the owner's rules in words, for a choice."""

from __future__ import annotations

from core.availability.presets import Preset
from core.texts.localization import translate


def preset_choices(preset: Preset | None, own_words: str) -> list[tuple[str, object]]:
    """Each preset with its words; ``own_words`` stand for rules that are no preset's (``None``)."""
    own: list[tuple[str, object]] = [] if preset else [(own_words, None)]
    return [
        (translate("Presets", "always"), "always"),
        (translate("Presets", "when nobody needs it"), "unneeded"),
        (translate("Presets", "when I am away"), "away"),
        (translate("Presets", "at night"), "night"),
        *own,
    ]
