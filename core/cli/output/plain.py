"""A session as plain lines, for what is no terminal and for the time before training."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from core.cli.output import status_text as sentences
from core.cli.output.summary import Tally
from core.client.session import Session
from core.protocol.client_events import ClientEvent
from core.protocol.events import ContributionStatus, Evaluated, Progress, StateLoading, TrainingStarted, Warned

PAUSE_SECONDS = 5.0


class PlainDisplay:
    """A line for what matters, and one for the progress every few seconds and at every new epoch."""

    def __init__(self, stream: TextIO, name: str = "") -> None:
        self._stream = stream
        self._prefix = f"{name}: " if name else ""
        self._last_verdict: str | None = None
        self._last_epoch: int | None = None
        self._progress_said_at = 0.0

    def happened(self, event: ClientEvent, session: Session) -> None:
        """Say it, if it is news."""
        match event:
            case Warned():
                print(f"Note: {sentences.of_warning(event)}", file=sys.stderr, flush=True)
            case ContributionStatus():
                if event.state != self._last_verdict:
                    self._say(sentences.of(event))
                self._last_verdict = event.state
            case StateLoading():
                self._say_sometimes(sentences.of_loading(event))
            case Progress():
                self._say_progress(event)
            case Evaluated():
                self._say(sentences.of(event))
                self._say(sentences.of_examples(event))
            case TrainingStarted():
                self._last_epoch = event.epoch
                self._say(sentences.of(event))
            case _:
                self._say(sentences.of(event))

    def refresh(self, session: Session, tally: Tally) -> None:
        """Time alone is no news."""

    def _say_progress(self, event: Progress) -> None:
        line = sentences.of_progress(event)
        if event.epoch != self._last_epoch:
            self._last_epoch = event.epoch
            self._progress_said_at = 0.0
        self._say_sometimes(line)

    def _say_sometimes(self, line: str) -> None:
        now = time.monotonic()
        if now - self._progress_said_at >= PAUSE_SECONDS:
            self._progress_said_at = now
            self._say(line)

    def _say(self, line: str | None) -> None:
        if line:
            print(f"{self._prefix}{line}", file=self._stream, flush=True)
