"""The consent to a run at the terminal: for what is shown, remembered, and asked for again when that has changed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence

from core.cli.output.wrapping import print_wrapped
from core.cli.parser.arguments import JoinRun
from core.cli.runner.cancellation import Stop
from core.cli.runner.consent import answers_yes
from core.cli.runner.displays import stream_for_people
from core.errors import ErrorKind, UserError
from core.protocol.events import RunFound
from core.records.consents import Consents
from core.run.manifest import RunManifest
from core.texts.consent import changes_since

_NO_TERMINAL = (
    "There is no terminal to ask you at: add --yes to start without being asked, or look at the run "
    "with `workerbee inspect` first."
)


class RunConsent:
    """Asks the person at the terminal whether a run may be trained; ``show`` prints the run in full.

    With ``--yes`` they have agreed to what is printed first, and to nothing that the run becomes later.
    """

    def __init__(self, command: JoinRun, consents: Consents, stop: Stop, show: Callable[[RunFound], None]) -> None:
        self._has_agreed_beforehand = command.yes
        self._consents, self._stop, self._show = consents, stop, show
        self._stream = stream_for_people(command.json)

    def require_possible(self) -> None:
        """Raise UserError where it is certain already that consent is missing and nobody can be asked."""
        if not self._has_agreed_beforehand and not sys.stdin.isatty() and self._consents.are_empty:
            raise UserError(ErrorKind.USAGE, _NO_TERMINAL)

    def is_given(self, run: RunFound) -> bool:
        """Show the run, and ask about it unless the person has agreed to exactly this before; raises UserError."""
        self._show(run)
        if self._consents.cover(run):
            print_wrapped("You have agreed to this run before, and it has not changed since.", self._stream)
            return True
        before = self._consents.of(run)
        self._print_changes(before.shown if before else None, run)
        if not self._has_agreed_beforehand and not sys.stdin.isatty():
            raise UserError(ErrorKind.USAGE, _NO_TERMINAL)
        return self._remembered(run, self._has_agreed_beforehand or self._asks("Start?"))

    def is_given_again(self, run: RunFound, agreed: RunFound) -> bool:
        """Show what has become of a run that was agreed to, and ask; raises UserError where nobody can be asked."""
        lines = changes_since(agreed.manifest, run.manifest)
        if self._has_agreed_beforehand or not sys.stdin.isatty():
            raise UserError(ErrorKind.RUN_CHANGED, "; ".join(lines))
        self._show(run)
        self._print_changes(agreed.manifest, run)
        return self._remembered(run, self._asks("Go on with that?"))

    def _remembered(self, run: RunFound, is_given: bool) -> bool:
        if is_given:
            self._consents.remember(run, time.time())
        return is_given

    def _print_changes(self, before: RunManifest | None, run: RunFound) -> None:
        lines: Sequence[str] = changes_since(before, run.manifest) if before else ()
        if lines:
            print("The organiser has changed this run since you agreed to it:", file=self._stream)
            print(*(f"  {line}" for line in lines), sep="\n", file=self._stream, flush=True)

    def _asks(self, question: str) -> bool:
        with self._stop.while_prompting():
            return answers_yes(question, self._stream)
