"""`fleet --replay`: the fleet as a log has it, at any moment of the past; no worker, no network."""

from __future__ import annotations

from core.cli.output.fleet_view import fleet_picture
from core.cli.output.json_lines import print_event
from core.cli.parser.organiser.fleet_arguments import ReplayFleet
from core.cli.runner.displays import console_for
from core.errors import ErrorKind, UserError
from core.files.atomic import storage_problem
from core.fleet.history import FleetHistory
from core.fleet.log import read_log
from core.fleet.page import write_page
from core.fleet.snapshot import FleetSnapshot
from core.texts import figures


def replay_fleet(command: ReplayFleet) -> int:
    """Print the last snapshot that is not later than the moment asked for, and write the page of it on wish."""
    snapshot, history = _moment(command)
    if command.json:
        print_event(snapshot)
    else:
        console = console_for(command.json)
        console.print(fleet_picture(snapshot, history, console.height, price=command.price))
    if command.page is not None:
        try:
            write_page(command.page, snapshot, history)
        except OSError as error:
            raise storage_problem(error, command.page) from error
    return 0


def _moment(command: ReplayFleet) -> tuple[FleetSnapshot, FleetHistory]:
    """The snapshot, and the figures before it; raises UserError where the log has none."""
    found: FleetSnapshot | None = None
    first: FleetSnapshot | None = None
    history = FleetHistory()
    try:
        for snapshot in read_log(command.file):
            first = first or snapshot
            if command.at is None or snapshot.at <= command.at:
                history = history if found is None or found.run_id == snapshot.run_id else FleetHistory()
                found = snapshot
                history.add(snapshot)
    except OSError as error:
        raise UserError(ErrorKind.USAGE, f"{command.file}: {error.strerror or type(error).__name__}.") from error
    if found is None and first is not None:
        raise UserError(ErrorKind.USAGE, f"{command.file} begins later, at {figures.clock(first.at)}.")
    if found is None:
        raise UserError(ErrorKind.USAGE, f"{command.file} is no log of a fleet: no line of it is a snapshot.")
    return found, history
