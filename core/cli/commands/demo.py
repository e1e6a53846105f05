"""`demo`: an organiser and a volunteer on this computer, two real peers; the volunteer runs `join`."""

from __future__ import annotations

import time
from dataclasses import replace

from core.cli.commands.join import join
from core.cli.commands.organiser.publish import wait_until_published
from core.cli.output.summary import Tally, counted
from core.cli.parser.arguments import Demo, JoinRun
from core.cli.runner.cancellation import Stop
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import stream_for_people
from core.cli.runner.local_peers import peer_folders
from core.cli.runner.worker_session import WorkerSession, raise_first_failure
from core.client.demo import DEMO_THREADS, publish_demo
from core.client.session import Session
from core.errors import UserError
from core.files.temp_folder import temp_folder
from core.protocol.client_events import ClientEvent
from core.texts import figures
from core.texts.status import status


def demo(command: Demo, context: CommandContext) -> int:
    """Train two peers until the volunteer has reached a limit; the volunteer leaves first, then the organiser."""
    stream = stream_for_people(command.json)
    with temp_folder() as home:
        organisers, volunteers = (
            peer_folders(home, context.folders, "demo", name) for name in ("organiser", "volunteer")
        )
        with WorkerSession(context, _StopAtEnd(context.stop), organisers) as organiser:
            with raise_first_failure({"organiser": organiser}):
                organiser.client.publish(publish_demo(organisers, command.mode))
                link = wait_until_published(organiser).link
                print(f"The organiser has published the run: {link}", file=stream, flush=True)
                code = _volunteer(command, link, replace(context, folders=volunteers), organiser)
            organiser.leave()
            return code


def _volunteer(command: Demo, link: str, context: CommandContext, organiser: WorkerSession) -> int:
    request = JoinRun(
        address=link,
        device="cpu",
        network="direct",
        threads=DEMO_THREADS,
        always=True,
        yes=True,
        limits=command.limits,
        json=command.json,
    )
    try:
        return join(request, context, footer=lambda: _organiser_line(organiser))
    except UserError as error:
        error.detail = f"The volunteer: {error.detail}".strip()
        raise


class _StopAtEnd:
    """Watches the organiser's session, whose end is the end of the demo."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop

    def handle_event(self, event: ClientEvent, session: Session) -> None:
        """Stop the volunteer when the organiser's session has ended."""
        if session.problem is not None or session.phase == "ended":
            self._stop.request(session.problem.exit_code if session.problem else 0)

    def refresh(self, session: Session, tally: Tally) -> None:
        """Draw nothing: the volunteer's display does."""


def _organiser_line(organiser: WorkerSession) -> str:
    """Return ``Training · … · 512/s · 3,200 samples given``."""
    session = organiser.session
    parts = [status(session, organiser.tally.timestamps, time.monotonic())]
    if session.progress:
        parts.append(figures.rate(session.progress.samples_per_second))
        parts.append(f"{counted(session.contributed_samples, 'sample')} given")
    return " · ".join(parts)
