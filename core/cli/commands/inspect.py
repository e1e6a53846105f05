"""`inspect`: the runs that a swarm publishes."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.output.run_review import show_run
from core.cli.parser.arguments import InspectSwarm
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import console_for, early_display
from core.cli.runner.dry_run import smoke_test
from core.cli.runner.effective_settings import choices_for
from core.cli.runner.run_search import find_runs
from core.cli.runner.worker_session import WorkerSession
from core.hardware.discovery import choose_device
from core.protocol.events import RunFound
from core.run.address import JoinAddress


def inspect(wish: InspectSwarm, desk: CommandContext) -> int:
    """Look, leave, try it out where there is one run, show."""
    address = JoinAddress.parse(wish.address)
    with WorkerSession(desk, early_display(wish.json)) as conversation:
        runs = find_runs(conversation, address, run_id=None, network=wish.network)
        conversation.leave()
    measured = _tried_out(wish, desk, runs)
    if not wish.json:
        console = console_for(wish.json)
        for run in runs:
            console.print()
            show_run(console, run, measured)
    return 0


def _tried_out(wish: InspectSwarm, desk: CommandContext, runs: Sequence[RunFound]) -> str:
    """What a dry run says, on which device; nothing where none is wanted, or nothing could be started."""
    if not wish.dry_run or len(runs) != 1 or runs[0].manifest.run.state != "open":
        return ""
    choices, devices = choices_for(wish, desk.folders), desk.devices()
    device = choose_device(devices, choices.device)
    return f"{smoke_test(desk, runs[0], device, devices, choices, wish.json)} (on {device.label})"
