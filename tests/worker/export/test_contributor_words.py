"""A model card names who asked for it; whatever they call themselves is text in it, and nothing else."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.protocol.commands import Contributor
from core.worker.export.model_card import NOBODY_NAMED, contributor_words

HOSTILE = [
    "[Ada](http://e.example)",
    "![x](http://e.example/a.png)",
    "<b>Ada</b><script>alert(1)</script>",
    "http://www.e.example/ www.e.example",
    "a@e.example",
    "Ada | 9 | 9 |",
    "``Ada`` ` <i>",
    "Ada\n\n# Licence\n- MIT",
    "Ada\r\n---\r\nlicense: mit",
    "\u202eadA\u2066\u200f",
    "&lt;b&gt; \\`x\\`",
    "*Ada* _Ada_ ~~Ada~~ $x$ @everyone #1",
    "\x1b[2JAda\x00",
    "🐝" * 40,
]


def inline_tokens(card: str) -> list[Token]:
    """All that is in the lines of a card, as GitHub's kind of Markdown reads it."""
    parser = MarkdownIt("gfm-like", {"linkify": False, "html": True})
    return [child for token in parser.parse(card) for child in token.children or ()]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_a_span_of_code_on_its_line_and_nothing_else(name: str) -> None:
    words = contributor_words([Contributor(name=name[:40], samples=1234), Contributor(name="Ben", samples=5)], 0)
    assert len(words.splitlines()) == 4
    tokens = inline_tokens(f"Trained by volunteers. {words}\n\n## Licence\n\nNone.")
    assert {token.type for token in tokens} <= {"text", "code_inline"}
    codes = [token.content for token in tokens if token.type == "code_inline"]
    assert len(codes) == 2 and codes[1] == "Ben"
    assert codes[0] and not set(codes[0]) & {"`", "\n", "\r", "\u202e", "\u2066", "\u200f", "\x1b", "\x00"}


def test_names_are_listed_with_their_samples_as_they_call_themselves_and_the_others_are_counted() -> None:
    words = contributor_words([Contributor(name="Ada's bees", samples=12345), Contributor(name="Ben", samples=5)], 49)
    assert "as they call themselves" in words
    assert words.endswith(":\n\n- 12,345 samples: `Ada's bees`\n- 5 samples: `Ben`\n- and 49 more")


def test_where_nobody_asked_or_a_name_has_no_letter_nobody_is_named() -> None:
    assert contributor_words([], 0) == NOBODY_NAMED == "Nobody is named: nobody has asked to be."
    assert contributor_words([Contributor(name="\u202e ", samples=1)], 0) == NOBODY_NAMED
