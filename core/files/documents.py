"""The shipped documents: their topics, titles and text, for the window's Help and `workerbee help`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.resources import RESOURCES
from core.localizable import localized

FOLDER = RESOURCES / "docs"
INDEX = "index"
"""The topic that lists all others."""
ERRORS = "user-guide"
"""The topic that has a paragraph for every error, under its title."""

_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_LINK = re.compile(r"\]\(([a-z-]+)\.md\)")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_NO_SLUG = re.compile(r"[^\w\- ]")


@dataclass(frozen=True)
class Document:
    """A document of the package: its topic, which names its file, its title, and its text as Markdown."""

    topic: str
    title: str
    markdown: str

    @property
    def path(self) -> Path:
        """The file that the document was read from."""
        return FOLDER / f"{self.topic}.md"


def list_topics() -> tuple[str, ...]:
    """Every topic, the index first, the others in the order in which the index links to them."""
    linked = _LINK.findall(_text_of(INDEX))
    return tuple(dict.fromkeys((INDEX, *linked)))


def read_document(topic: str) -> Document:
    """The document of that topic, without comments; raises UserError, with the topics, for any other."""
    topics = list_topics()
    if topic not in topics:
        raise UserError(
            ErrorKind.USAGE, localized("There is no help on “%1”; the topics are %2.", topic, ", ".join(topics))
        )
    markdown = _COMMENT.sub("", _text_of(topic))
    title = _TITLE.search(markdown)
    return Document(topic, title[1] if title else topic, markdown)


def slug_of(heading: str) -> str:
    """The anchor of a heading, made as GitHub makes it: lower case, hyphens for spaces, no punctuation."""
    return _NO_SLUG.sub("", heading.strip().lower()).replace(" ", "-")


def _text_of(topic: str) -> str:
    return (FOLDER / f"{topic}.md").read_text("utf-8")
