"""The choice of a display and of the stream for people: stdout, or stderr where stdout is for a program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from core.cli.output.json_lines import JsonDisplay
from core.cli.output.plain import PlainDisplay
from core.cli.runner.cancellation import Stop
from core.cli.runner.keyboard import listen_for_keys
from core.cli.runner.worker_session import Display, WorkerSession

if TYPE_CHECKING:
    from rich.console import Console


def stream_for_people(wants_json: bool) -> TextIO:
    """Return the stream on which text for people is printed."""
    return sys.stderr if wants_json else sys.stdout


def console_for(wants_json: bool) -> Console:
    """Return a console that takes no text for markup of its own."""
    from core.cli.output.console import PlainConsole

    return PlainConsole(stream_for_people(wants_json))


def can_redraw(console: Console) -> bool:
    """Return whether the console can show a picture that changes in its place."""
    return console.is_terminal and not console.is_dumb_terminal


def display_for(wants_json: bool) -> Display:
    """Return the display of a session before training."""
    return JsonDisplay() if wants_json else PlainDisplay(sys.stdout)


@contextmanager
def live_training(
    worker: WorkerSession, stop: Stop, wants_json: bool, footer: Callable[[], str] | None = None
) -> Iterator[None]:
    """While this lasts, a terminal shows the live display; `q` leaves, `r` resumes, `i` ignores a rule for today."""
    console = console_for(wants_json)
    if wants_json or not can_redraw(console):
        yield
        return
    from core.cli.output.live import LiveDisplay

    def obey(key: str) -> None:
        if key in "qQ":
            stop.request()
        elif key in "rR":
            worker.resume_now()
        elif key in "iI":
            worker.ignore_today()

    with (
        listen_for_keys(obey),
        LiveDisplay(console, footer) as live,
    ):
        before, worker.display = worker.display, live
        try:
            yield
        finally:
            worker.display = before
