"""`join A --then B`: several runs in an order, each of which is shown and agreed to before the first begins."""

from __future__ import annotations

from functools import partial

from core.cli.commands.join import heeding_rules, join
from core.cli.parser.arguments import JoinRun
from core.cli.runner.agreed_runs import agreed_runs, run_order
from core.cli.runner.context import CommandContext, CurrentSettings
from core.cli.runner.contribution_recorder import recording_contributions
from core.cli.runner.displays import display_for, live_training, stream_for_people
from core.cli.runner.ordered_training import OrderedTraining
from core.cli.runner.worker_session import WorkerSession
from core.hardware.discovery import choose_device
from core.suspend.without_window import leaving_before_suspends


def join_runs(command: JoinRun, context: CommandContext) -> int:
    """Help the run, or the runs in their order until a limit is reached, a stop is requested or none is left."""
    if not command.order.following:
        return join(command, context)
    current, people = CurrentSettings(command, context.folders), partial(stream_for_people, command.json)
    settings = current()
    device = choose_device(context.devices(), settings.device)
    runs = agreed_runs(command, settings, context)
    if not runs:
        print("Nothing was started.", file=people())
        return 0
    worker = WorkerSession(context, display_for(command.json))
    heeded = heeding_rules(worker, command, current, context.folders, device)
    with worker, recording_contributions(worker, context.folders), heeded:
        training = OrderedTraining(worker, context, current, run_order(runs, command.order), people)
        with leaving_before_suspends(worker), live_training(worker, context.stop, command.json):
            training.run(command.limits)
    return 0
