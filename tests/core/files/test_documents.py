"""The shipped documents, as Help and `workerbee help` read them."""

from __future__ import annotations

import pytest

from core.errors import ErrorKind, UserError
from core.files.documents import FOLDER, INDEX, list_topics, read_document, slug_of


def test_the_index_lists_every_document() -> None:
    assert list_topics()[0] == INDEX
    assert sorted(list_topics()) == sorted(path.stem for path in FOLDER.glob("*.md"))


@pytest.mark.parametrize("topic", list_topics())
def test_a_document_has_a_title_and_no_comments(topic: str) -> None:
    document = read_document(topic)
    assert document.markdown.startswith(f"# {document.title}\n")
    assert "<!--" not in document.markdown and "-->" not in document.markdown


@pytest.mark.parametrize("topic", ["", "nowhere", "../../pyproject", "/etc/passwd"])
def test_an_unknown_topic_is_answered_with_the_list(topic: str) -> None:
    with pytest.raises(UserError, match="the topics are index, user-guide") as refused:
        read_document(topic)
    assert refused.value.problem is ErrorKind.USAGE


@pytest.mark.parametrize(
    ("heading", "slug"),
    [
        ("Where things are kept", "where-things-are-kept"),
        ("1. Paste the address", "1-paste-the-address"),
        ("This computer's clock and the swarm's differ by more than 3 seconds.",
         "this-computers-clock-and-the-swarms-differ-by-more-than-3-seconds"),
        ('[recipe] kind = "causal-lm"', "recipe-kind--causal-lm"),
    ],
)  # fmt: skip
def test_the_anchor_of_a_heading_is_githubs(heading: str, slug: str) -> None:
    assert slug_of(heading) == slug
