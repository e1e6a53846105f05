"""`fleet`: the peers of a run, watched by a worker that never trains; shown, logged, and written as a status page."""

from __future__ import annotations

import time

from core.cli.commands.fleet.metrics import serving_metrics
from core.cli.output.error_report import print_error
from core.cli.parser.organiser.fleet_arguments import WatchFleet
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import can_redraw, console_for
from core.cli.runner.fleet_display import FleetDisplay
from core.cli.runner.keyboard import listen_for_keys
from core.cli.runner.run_search import find_runs, one_run
from core.cli.runner.worker_session import WorkerSession
from core.client.restart_policy import OBSERVER_RETRY_SECONDS, PASSING
from core.errors import UserError
from core.fleet.recorder import FleetRecorder
from core.run.address import JoinAddress


def watch_fleet(command: WatchFleet, context: CommandContext) -> int:
    """Watch until a person leaves, or look once; what may pass is waited out where the run has been seen before.

    Raises UserError where the run is not found at first, or cannot be watched at all.
    """
    address = JoinAddress.parse(command.address)
    with serving_metrics(command.metrics) as serve:
        _watch_and_record(command, address, context, FleetRecorder(command.log, command.page, print_error, serve=serve))
    return 0


def _watch_and_record(
    command: WatchFleet, address: JoinAddress, context: CommandContext, recorder: FleetRecorder
) -> None:
    console = console_for(command.json)
    is_live = can_redraw(console) and not (command.json or command.once)
    with (
        listen_for_keys(lambda key: context.stop.request() if is_live and key in "qQ" else None),
        FleetDisplay(
            console,
            recorder,
            wants_json=command.json,
            is_live=is_live,
            is_once=command.once,
            price=command.price,
        ) as display,
    ):
        while not context.stop.is_requested:
            try:
                _watch(command, address, context, display)
            except UserError as error:
                if not display.has_seen or error.problem not in PASSING or command.once:
                    raise UserError(error.problem, error.detail) from error  # which nobody has printed yet
                print_error(error)
                _rest(context)
            if command.once:
                break


def _watch(command: WatchFleet, address: JoinAddress, context: CommandContext, display: FleetDisplay) -> None:
    """One worker's life: find the run, and watch until a stop is requested or the worker has failed."""
    with WorkerSession(context, display) as worker:
        runs = find_runs(worker, address, run_id=command.run_id, network=command.network, watches_peers=True)
        display.begin(one_run(runs))
        if not command.once:
            worker.watch()
        worker.leave()


def _rest(context: CommandContext) -> None:
    ends = time.monotonic() + OBSERVER_RETRY_SECONDS
    context.loop.run_until(lambda: context.stop.is_requested or time.monotonic() > ends, lambda: None)
