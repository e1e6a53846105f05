"""`service install`: the run is shown and agreed to now, and helped from now on without a desktop."""

from __future__ import annotations

import getpass

from core.cli.options.shared_options import Order
from core.cli.output.json_lines import print_object
from core.cli.parser.arguments import JoinRun
from core.cli.parser.service_arguments import InstallService
from core.cli.runner.agreed_runs import agreed_runs, run_order
from core.cli.runner.context import CommandContext, effective_settings, kept_settings
from core.cli.runner.displays import stream_for_people
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.records.recent_runs import RecentRuns
from core.records.unfinished_run import UnfinishedRunFile
from core.run.address import JoinAddress
from core.run_order.order import OrderedRun, RunOrderFile
from core.service.interface import ServiceState
from core.service.platform import service_manager
from core.service.program import chosen_places, workerbee_program

_HELPED = ("trained", "paused")


def install_service(command: InstallService, context: CommandContext) -> int:
    """Show the run, ask, and have the service manager run `service run`; returns 0 if nobody wants that, too."""
    manager = service_manager()
    address = JoinAddress.parse(command.address) if command.address else _last_address(context.folders)
    runs = _agreed_runs(command, address, context)
    stream = stream_for_people(command.json)
    if runs:
        _keep(runs, command.order, context.folders)
        manager.install([str(workerbee_program()), "service", "run"], chosen_places())
        _explain(manager.state(), kept_settings(context.folders).start_at_login, command.json)
    else:
        print("Nothing was installed.", file=stream)
    if command.json:
        print_object("service", installed=bool(runs), run=runs[0].run.run_id if runs else "")
    return 0


def _agreed_runs(command: InstallService, address: JoinAddress, context: CommandContext) -> tuple[OrderedRun, ...]:
    """The runs that the person agrees to, in their order."""
    text = command.address or " ".join(address.peers)
    run_id = command.run_id or address.run_id
    join = JoinRun(text, run_id=run_id, recipe=command.recipe, yes=command.yes, order=command.order, json=command.json)
    return agreed_runs(join, effective_settings(join, context.folders), context)


def _keep(runs: tuple[OrderedRun, ...], order: Order, folders: Folders) -> None:
    """Keep the first run, and where there are several their order, for the service."""
    UnfinishedRunFile(folders.contents.service_run_file).keep(runs[0].run)
    file = RunOrderFile(folders.contents.service_order_file)
    if len(runs) > 1:
        file.keep(run_order(runs, order))
    else:
        file.forget()


def _last_address(folders: Folders) -> JoinAddress:
    """Where the run is that the window contributes to, or that was contributed to last; raises UserError."""
    unfinished = UnfinishedRunFile(folders.contents.unfinished_run_file).load()
    if unfinished is not None:
        return unfinished.address
    for recent in RecentRuns(folders.contents.recent_runs_file).all():
        if recent.last_state in _HELPED:
            return JoinAddress.parse(recent.address)
    raise UserError(ErrorKind.USAGE, "No run was helped from here yet: name one by the address that was posted.")


def _explain(state: ServiceState, starts_window_at_login: bool, wants_json: bool) -> None:
    """Say what happens now, and what the person may want to do about it."""
    lines = [
        "Installed: it trains from now on, and after every login, by the rules of your settings.",
        "  workerbee service status           what it does",
        "  journalctl --user -u workerbee     what it has done",
        "  systemctl --user stop workerbee    pause it until the next login, or until you start it",
        "  workerbee service remove           end it for good",
    ]
    if state.starts_at_boot is not True:
        lines.append("It ends when you log out. To have it run from boot on, whether you log in or not:")
        lines.append(f"  loginctl enable-linger {getpass.getuser()}")
    if starts_window_at_login:
        lines.append("The window starts at login, too; beside the service it does not go on with a run by itself.")
    print(*lines, sep="\n", file=stream_for_people(wants_json), flush=True)
