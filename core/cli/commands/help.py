"""`help`: print a shipped document, the same text as the window's Help shows."""

from __future__ import annotations

from core.cli.output.json_lines import print_object
from core.cli.parser.help_arguments import ShowDocument
from core.files.documents import read_document


def show_document(command: ShowDocument) -> int:
    """Print the document, as Markdown or as one JSON object; raises UserError for an unknown topic."""
    document = read_document(command.topic)
    if command.json:
        print_object("document", topic=document.topic, title=document.title, markdown=document.markdown)
    else:
        print(document.markdown, end="")
    return 0
