"""`inspect`: the runs that a swarm publishes."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.output.run_review import show_run
from core.cli.parser.arguments import InspectSwarm
from core.cli.runner.context import CommandContext, effective_settings
from core.cli.runner.displays import console_for, display_for
from core.cli.runner.dry_run import Measurement, measure_fit
from core.cli.runner.run_search import find_runs
from core.cli.runner.worker_session import WorkerSession
from core.hardware.discovery import choose_device
from core.hardware.unused_gpus import find_unused_gpus
from core.protocol.events import RunFound
from core.records.settings import Settings
from core.run.address import JoinAddress
from core.texts.device import unused_words
from core.texts.traffic import known_line


def inspect(command: InspectSwarm, context: CommandContext) -> int:
    """Find the runs, leave the swarm, try a single open run on this computer, and print what was found."""
    address = JoinAddress.parse(command.address)
    with WorkerSession(context, display_for(command.json)) as worker:
        runs = find_runs(worker, address, run_id=None, network=command.network)
        upload, download = worker.session.upload, worker.session.download
        worker.leave()
    settings = effective_settings(command, context.folders)
    measured = _measured(command, context, runs, settings)
    if not command.json:
        console, line = console_for(command.json), known_line(settings, upload, download)
        devices = context.known_devices()
        has_gpu = any(device.is_gpu for device in devices)
        unused = unused_words(find_unused_gpus(devices), is_beside_others=has_gpu)
        for run in runs:
            console.print()
            show_run(console, run, measured.words, measured.samples_per_second, line, unused)
    return 0


def _measured(
    command: InspectSwarm, context: CommandContext, runs: Sequence[RunFound], settings: Settings
) -> Measurement:
    """The result of a dry run; an empty one where none is wanted, or no run could be started."""
    if not command.dry_run or len(runs) != 1 or runs[0].manifest.run.state != "open":
        return Measurement()
    devices = context.devices()
    return measure_fit(context, runs[0], choose_device(devices, settings.device), devices, settings, command.json)
