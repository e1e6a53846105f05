"""`workerbee help`: the documents in a terminal, from a real process."""

from __future__ import annotations

import json
from pathlib import Path

from core.files.documents import list_topics, read_document
from tests.support.cli_process import workerbee


def test_help_prints_the_list_of_documents(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "help")
    assert (result.code, result.err) == (0, "")
    assert all(f"({topic}.md)" in result.out for topic in list_topics()[1:])


def test_help_prints_a_document_as_the_window_shows_it(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "help", "user-guide")
    assert (result.code, result.out) == (0, read_document("user-guide").markdown)


def test_help_is_a_json_object_for_programs(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "help", "migrating", "--json")
    document = read_document("migrating")
    assert json.loads(result.out) == {
        "event": "document",
        "topic": "migrating",
        "title": "Coming from hivemind or Lightning",
        "markdown": document.markdown,
    }


def test_an_unknown_topic_lists_the_topics(tmp_path: Path) -> None:
    result = workerbee(tmp_path, "help", "cooking")
    assert result.code == 2 and result.out == ""
    assert "“cooking”" in result.err and "organiser-guide, run-file-reference" in result.err
