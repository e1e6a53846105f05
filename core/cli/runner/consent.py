"""Questions to a person at the terminal, before something is deleted or forgotten."""

from __future__ import annotations

import select
import sys
from typing import TextIO

from core.cli.runner.displays import stream_for_people
from core.errors import ErrorKind, UserError

_LOOK_SECONDS = 0.2


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
        _await_line()
        answer = sys.stdin.readline()
    finally:  # a Ctrl-C too: what follows begins a line of its own
        if not answer.endswith("\n"):
            print(file=stream, flush=True)
    return answer.strip().lower() in ("y", "yes")


def _await_line() -> None:
    """Wait until a terminal has a line, or is hung up.

    Python runs a signal's handler between two of its own steps. Whoever presses Ctrl-C in the moment before the
    terminal is read would wait for the next line; here it is looked at several times a second.
    """
    if sys.platform != "win32" and sys.stdin.isatty():
        while not select.select([sys.stdin], [], [], _LOOK_SECONDS)[0]:
            pass
