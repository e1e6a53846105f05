"""`help`: print a shipped document, the same text as the window's Help shows."""

from __future__ import annotations

import msgspec

from core.cli.parser.help_arguments import ShowDocument
from core.files.documents import read_document


def show_document(wish: ShowDocument) -> int:
    """Print the document, as Markdown or as one JSON object; raises UserError for an unknown topic."""
    document = read_document(wish.topic)
    if wish.json:
        fields = {"topic": document.topic, "title": document.title, "markdown": document.markdown}
        print(msgspec.json.encode(fields).decode())
    else:
        print(document.markdown, end="")
    return 0
