"""The texts of an error: what happened, and what to do about it; for the window and for a terminal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ErrorText:
    """The texts of an error and the exit code of the command line.

    ``title`` says what happened, ``advice`` what to do about it, a sentence or two each. Where the advice names
    what only the window has, ``terminal_advice`` says the same with the options and commands of a terminal.
    """

    title: str
    advice: str
    exit_code: int
    terminal_advice: str = ""
