"""A dry run before anybody joins: it measures for some seconds what a run takes of this computer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.cli.output.json_lines import print_event
from core.cli.output.summary import Tally
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import stream_for_people
from core.cli.runner.worker_session import WorkerSession
from core.client.session import Session
from core.errors import UserError
from core.files.disk_space import DiskSpace
from core.hardware.device import Device
from core.hardware.fit import fits
from core.protocol.client_events import ClientEvent
from core.protocol.commands import DryRun
from core.protocol.events import FitMeasured, RunFound, Warned
from core.records.settings import Settings
from core.texts.errors import title_of
from core.texts.fit import of_measured


@dataclass(frozen=True)
class Measurement:
    """The result of a dry run as a sentence, or why there is none; and this computer's speed in the run, if known."""

    words: str = ""
    samples_per_second: float | None = None


def measure_fit(
    context: CommandContext,
    run: RunFound,
    device: Device,
    devices: Sequence[Device],
    settings: Settings,
    wants_json: bool,
) -> Measurement:
    """Return the result of a dry run on that device; programs get an event."""
    on_device = f"(on {device.label})"
    if not fits(run.manifest, device, devices, DiskSpace()).may_be_tried:
        return Measurement(f"Not measured: its memory is too small for this run {on_device}")
    command = DryRun(
        manifest=run.manifest,
        device=device.label,
        threads=settings.threads,
        memory_limit_bytes=settings.memory_limit_bytes,
    )
    print(f"Measuring what fits on {device.label}…", file=stream_for_people(wants_json), flush=True)
    with WorkerSession(context, _FitDisplay(wants_json)) as worker:
        worker.client.ask(command)
        try:
            fit = worker.wait_until(lambda session: session.fit is not None).fit
        except UserError as error:
            if wants_json:
                print_event(Warned(problem=error.problem.key, detail=error.detail))
            return Measurement(f"Not measured: {title_of(error.problem)} {error.detail} {on_device}")
    assert fit is not None
    return Measurement(f"{of_measured(fit, run.samples_per_second)} {on_device}", fit.samples_per_second)


class _FitDisplay:
    """Prints what was measured for programs; a dry run that fails is not a failure of the command."""

    def __init__(self, wants_json: bool) -> None:
        self._wants_json = wants_json

    def handle_event(self, event: ClientEvent, session: Session) -> None:
        """Print the measurement as a line of JSON, where that is wanted."""
        if self._wants_json and isinstance(event, FitMeasured):
            print_event(event)

    def refresh(self, session: Session, tally: Tally) -> None:
        """Print nothing: passing time is not an event."""
