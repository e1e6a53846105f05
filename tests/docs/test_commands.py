"""Every `workerbee …` in the documents is a command that there is, with options that it has."""

from __future__ import annotations

import contextlib
import io
import re
from functools import cache
from pathlib import Path

import pytest

from app.desktop.launch_request import MINIMISED
from core.cli.parser.arguments import command_parser
from core.errors import UserError
from tests.docs.test_documents import CODE_BLOCK, DOCUMENTS

IN_A_LINE = re.compile(r"`(workerbee [^`]+[^`:])`")  # what ends with a colon is the beginning of what is signed
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
WORDS = re.compile(r"[a-z]+")
MOST_WORDS = 2  # of a command, as in `run check`


def commands_in(document: str) -> list[str]:
    """What a reader is told to type, without comments; a line that ends with a backslash goes on in the next one."""
    blocks = "\n".join(CODE_BLOCK.findall(document)).replace("\\\n", " ")
    lines = (line.split(" #")[0].strip().removeprefix("$ ") for line in blocks.splitlines())
    return [line for line in lines if line.startswith("workerbee ")] + IN_A_LINE.findall(CODE_BLOCK.sub("", document))


@cache
def help_of(*command: str) -> str | None:
    """What that command answers to ``--help``; ``None`` where there is no such command."""
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit, UserError):
        command_parser("0").parse_args([*command, "--help"])
    usage = said.getvalue().split("\n", 1)[0]
    return said.getvalue() if usage.startswith(" ".join(("usage: workerbee", *command))) else None


def mistake_in(command: str) -> str | None:
    """What is wrong with a command of a document, as far as its words and the names of its options go."""
    _, *words = command.split()
    named = words[: next((at for at, word in enumerate(words) if not WORDS.fullmatch(word)), len(words))]
    helps = (help_of(*named[:count]) for count in range(min(MOST_WORDS, len(named)), -1, -1))
    told = next(each for each in helps if each is not None)
    if named and told is help_of():
        return f"{command}: no such command"
    options = set(OPTION.findall(command)) - ({MINIMISED} if not named else set())  # the window reads that one
    missing = sorted(option for option in options if not re.search(rf"{option}\b(?!-)", told))
    return f"{command}: no {', '.join(missing)}" if missing else None


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_that_a_document_tells_to_type_exists_with_its_options(document: Path) -> None:
    commands = commands_in(document.read_text("utf-8"))
    assert [mistake for mistake in map(mistake_in, commands) if mistake] == []


@pytest.mark.parametrize(
    "command", ["workerbee rune check x.toml", "workerbee run check --lime 20/100 x.toml", "workerbee join --repeat"]
)
def test_what_does_not_exist_is_found(command: str) -> None:
    assert mistake_in(command) is not None
    assert mistake_in("workerbee run check --line 20/100 x.toml") is None
