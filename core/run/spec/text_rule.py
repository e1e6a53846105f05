"""The rule of a text, for machines and for people: a pattern, and the words that stand for it."""

from __future__ import annotations

from msgspec import Meta

from core.localizable import LocalizedText


def text_rule(pattern: str, words: LocalizedText) -> Meta:
    """A text must match the pattern; ``words`` go on after "must be"."""
    return Meta(pattern=pattern, description=str(words), extra={"rule": words})
