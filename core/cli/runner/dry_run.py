"""What a run would take of this computer, tried out for some seconds before anybody joins it."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.output.json_lines import print_event
from core.cli.output.summary import Tally
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import words_stream
from core.cli.runner.worker_session import WorkerSession
from core.client.session import Session
from core.errors import UserError
from core.files.disk_space import DiskSpace
from core.hardware.device import Device
from core.hardware.fit import fits
from core.protocol.client_events import ClientEvent
from core.protocol.messages import DryRun, FitMeasured, RunFound
from core.records.settings import Settings
from core.texts.errors import title_of
from core.texts.fit import of_measured


def try_out(
    desk: CommandContext,
    run: RunFound,
    device: Device,
    devices: Sequence[Device],
    choices: Settings,
    wants_json: bool,
) -> str:
    """What a dry run on that device says, in words; or why there is nothing to say."""
    if not fits(run.manifest, device, devices, DiskSpace()).may_be_tried:
        return "Not measured: its memory is too small for this run"
    command = DryRun(
        manifest=run.manifest,
        device=device.label,
        threads=choices.threads,
        memory_limit_bytes=choices.memory_limit_bytes,
    )
    print(f"Measuring what fits on {device.label}…", file=words_stream(wants_json), flush=True)
    with WorkerSession(desk, _Watcher(wants_json)) as conversation:
        conversation.client.dry_run(command)
        try:
            fit = conversation.wait_until(lambda session: session.fit is not None).fit
        except UserError as error:
            return f"Not measured: {title_of(error.problem)} {error.detail}".strip()
    assert fit is not None
    return of_measured(fit, run.samples_per_second)


class _Watcher:
    """Tells programs what was found; a dry run that fails is no failure of whoever only looks."""

    def __init__(self, wants_json: bool) -> None:
        self._wants_json = wants_json

    def happened(self, event: ClientEvent, session: Session) -> None:
        """Print what was found."""
        if self._wants_json and isinstance(event, FitMeasured):
            print_event(event)

    def refresh(self, session: Session, tally: Tally) -> None:
        """Time alone is no news."""
