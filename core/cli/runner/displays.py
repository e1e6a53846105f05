"""Where words for people go: stdout, or stderr where stdout belongs to a program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from core.cli.output.json_lines import JsonDisplay
from core.cli.output.plain import PlainDisplay
from core.cli.runner.cancellation import Stop
from core.cli.runner.keyboard import keys_heard
from core.cli.runner.worker_session import Watcher, WorkerSession

if TYPE_CHECKING:
    from rich.console import Console


def words_stream(wants_json: bool) -> TextIO:
    """Where to print for people."""
    return sys.stderr if wants_json else sys.stdout


def console_for(wants_json: bool) -> Console:
    """A console that takes nobody's words for commands of its own."""
    from rich.console import Console

    return Console(file=words_stream(wants_json), markup=False, emoji=False, highlight=False)


def is_living(console: Console) -> bool:
    """Whether it can show a picture that changes."""
    return console.is_terminal and not console.is_dumb_terminal


def early_display(wants_json: bool) -> Watcher:
    """What shows a session before training."""
    return JsonDisplay() if wants_json else PlainDisplay(sys.stdout)


@contextmanager
def shown_training(
    conversation: WorkerSession, stop: Stop, wants_json: bool, footer: Callable[[], str] | None = None
) -> Iterator[None]:
    """While this lasts, a terminal shows one living picture and `q` leaves; all else goes on as before."""
    console = console_for(wants_json)
    if wants_json or not is_living(console):
        yield
        return
    from core.cli.output.live import LiveDisplay

    with (
        keys_heard(lambda key: stop.request() if key in "qQ" else None),
        LiveDisplay(console, footer) as display,
    ):
        early, conversation.watcher = conversation.watcher, display
        try:
            yield
        finally:
            conversation.watcher = early
