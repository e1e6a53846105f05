"""Questions to a person at the terminal, before something is deleted or forgotten."""

from __future__ import annotations

import sys
from typing import TextIO

from core.cli.runner.displays import stream_for_people
from core.errors import ErrorKind, UserError


def confirm(question: str, wants_json: bool) -> bool:
    """Ask a question at the terminal; anything but a clear yes is a no, and without a terminal it is a UserError."""
    if not sys.stdin.isatty():
        raise UserError(ErrorKind.USAGE, "There is no terminal to ask you at: add --yes to agree beforehand.")
    return answers_yes(question, stream_for_people(wants_json))


def answers_yes(question: str, stream: TextIO) -> bool:
    """Ask a question on that stream; anything but a clear yes is a no, the end of the input too."""
    answer = ""
    try:
        print(f"{question} [y/N] ", end="", file=stream, flush=True)
        answer = sys.stdin.readline()
    finally:  # a Ctrl-C too: what follows begins a line of its own
        if not answer.endswith("\n"):
            print(file=stream, flush=True)
    return answer.strip().lower() in ("y", "yes")
