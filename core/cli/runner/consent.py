"""Questions to a person at the terminal, before something is deleted or forgotten."""

from __future__ import annotations

import sys

from core.cli.runner.displays import stream_for_people
from core.errors import ErrorKind, UserError


def confirm(question: str, wants_json: bool) -> bool:
    """Ask a question at the terminal; anything but a clear yes is a no, and without a terminal it is a UserError."""
    if not sys.stdin.isatty():
        raise UserError(ErrorKind.USAGE, "There is no terminal to ask you at: add --yes to agree beforehand.")
    print(f"{question} [y/N] ", end="", file=stream_for_people(wants_json), flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
