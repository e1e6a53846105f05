"""The texts of an error: what happened, and what to do about it; for the window and for a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


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


class Worded:
    """An enumeration whose values are such texts; its members have them as properties."""

    name: str
    value: Any

    @property
    def key(self) -> str:
        """The name that is sent between processes, such as ``nobody_answers``."""
        return self.name.lower()

    @property
    def text(self) -> ErrorText:
        """All texts of this error."""
        text: ErrorText = self.value
        return text

    @property
    def title(self) -> str:
        """The English sentence that says what happened."""
        return self.text.title

    @property
    def advice(self) -> str:
        """The English sentence that says what to do about it in the window."""
        return self.text.advice

    @property
    def terminal_advice(self) -> str:
        """The English sentence that says what to do about it in a terminal."""
        return self.text.terminal_advice or self.text.advice

    @property
    def exit_code(self) -> int:
        """The exit code of a command that ends with this error."""
        return self.text.exit_code
