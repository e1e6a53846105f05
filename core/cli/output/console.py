"""The console that prints tables and pictures."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console


class PlainConsole(Console):
    """A console that takes no text for markup of its own."""

    def __init__(self, file: TextIO) -> None:
        super().__init__(file=file, markup=False, emoji=False, highlight=False)

    def on_broken_pipe(self) -> None:
        """Let BrokenPipeError go on, which ends the command as it does where print raises it; rich exits with 1."""
        raise
