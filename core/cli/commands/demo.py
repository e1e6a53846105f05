"""`demo`: an organiser and a volunteer on this computer, two real peers; the volunteer goes `join`'s way."""

from __future__ import annotations

import sys
from dataclasses import replace

from core.cli.commands.join import join
from core.cli.commands.publish import wait_until_published
from core.cli.output import format as figures
from core.cli.output.status_text import status
from core.cli.output.summary import Tally
from core.cli.parser.arguments import Demo, JoinRun
from core.cli.runner.cancellation import Stop
from core.cli.runner.context import CommandContext
from core.cli.runner.worker_session import WorkerSession, raise_first_failure
from core.client.demo import DEMO_THREADS, publish_demo
from core.client.session import Session
from core.errors import UserError
from core.files.folders import Folders
from core.files.temp_folder import temp_folder
from core.protocol.client_events import ClientEvent


def demo(wish: Demo, desk: CommandContext) -> int:
    """Both train until the volunteer has reached a limit; then the volunteer leaves, then the organiser."""
    with temp_folder() as home:
        organisers = Folders.below(home / "organiser")
        volunteers = Folders.below(home / "volunteer")
        watcher = _OrganiserLine(desk.stop, wish.json)
        with WorkerSession(desk, watcher, organisers) as organiser:
            with raise_first_failure({"organiser": organiser}):
                organiser.client.publish(publish_demo(organisers))
                link = wait_until_published(organiser).link
                watcher.say(f"The organiser has published the run: {link}")
                code = _volunteer(wish, link, replace(desk, folders=volunteers), watcher)
            organiser.leave()
            return code


def _volunteer(wish: Demo, link: str, desk: CommandContext, watcher: _OrganiserLine) -> int:
    request = JoinRun(
        address=link,
        device="cpu",
        network="direct",
        threads=DEMO_THREADS,
        yes=True,
        limits=wish.limits,
        json=wish.json,
    )
    try:
        return join(request, desk, footer=lambda: watcher.line)
    except UserError as error:
        error.detail = f"The volunteer: {error.detail}".strip()
        raise


class _OrganiserLine:
    """One line about the organiser, below the volunteer's picture; its end is the demo's end."""

    def __init__(self, stop: Stop, wants_json: bool) -> None:
        self.line = ""
        self._stop = stop
        self._wants_json = wants_json

    def happened(self, event: ClientEvent, session: Session) -> None:
        """Keep the line true."""
        self.line = _line(session)
        if session.problem is not None or session.phase == "ended":
            self._stop.request(session.problem.exit_code if session.problem else 0)

    def refresh(self, session: Session, tally: Tally) -> None:
        """The volunteer's display draws."""

    def say(self, words: str) -> None:
        """Say it, away from the volunteer's events."""
        print(words, file=sys.stderr if self._wants_json else sys.stdout, flush=True)


def _line(session: Session) -> str:
    """``helping: … · 512/s · 3,200 samples given``"""
    parts = [status(session)]
    if session.progress:
        parts.append(f"{figures.rate(session.progress.samples_per_second)}")
        parts.append(f"{figures.counted(session.contributed_samples, 'sample')} given")
    return " · ".join(parts)
