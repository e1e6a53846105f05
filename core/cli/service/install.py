"""`service install`: the run is shown and agreed to now, and helped from now on without a desktop."""

from __future__ import annotations

import getpass

from core.cli.output.json_lines import print_object
from core.cli.output.run_review import show_found
from core.cli.parser.arguments import JoinRun
from core.cli.parser.service_arguments import InstallService
from core.cli.runner.context import CommandContext, effective_settings
from core.cli.runner.displays import console_for, display_for, stream_for_people
from core.cli.runner.run_consent import RunConsent
from core.cli.runner.run_search import find_runs, only_run
from core.cli.runner.worker_session import WorkerSession
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.hardware.discovery import choose_device
from core.protocol.events import RunFound
from core.records.consents import Consents
from core.records.recent_runs import RecentRuns
from core.records.settings import load_settings
from core.records.unfinished_run import UnfinishedRun, UnfinishedRunFile
from core.run.address import JoinAddress
from core.run.run_file import load_run_file
from core.service.interface import ServiceState
from core.service.platform import service_manager
from core.service.program import chosen_places, workerbee_program

_HELPED = ("trained", "paused")


def install_service(command: InstallService, context: CommandContext) -> int:
    """Show the run, ask, and have the service manager run `service run`; returns 0 if nobody wants that, too."""
    manager = service_manager()
    address = JoinAddress.parse(command.address) if command.address else _last_address(context.folders)
    run = _agreed_run(command, address, context)
    stream = stream_for_people(command.json)
    if run is not None:
        file = UnfinishedRunFile(context.folders.contents.service_run_file)
        file.keep(run)
        manager.install([str(workerbee_program()), "service", "run"], chosen_places())
        _explain(manager.state(), load_settings(context.folders.settings_file)[0].start_at_login, command.json)
    else:
        print("Nothing was installed.", file=stream)
    if command.json:
        print_object("service", installed=run is not None, run=run.run_id if run else "")
    return 0


def _last_address(folders: Folders) -> JoinAddress:
    """Where the run is that the window contributes to, or that was contributed to last; raises UserError."""
    unfinished = UnfinishedRunFile(folders.contents.unfinished_run_file).load()
    if unfinished is not None:
        return unfinished.address
    for recent in RecentRuns(folders.contents.recent_runs_file).all():
        if recent.last_state in _HELPED:
            return JoinAddress.parse(recent.address)
    raise UserError(ErrorKind.USAGE, "No run was helped from here yet: name one by the address that was posted.")


def _agreed_run(command: InstallService, address: JoinAddress, context: CommandContext) -> UnfinishedRun | None:
    """The run at that address, once the person has agreed to it; ``None`` where they have not."""
    join = JoinRun(" ".join(address.peers), yes=command.yes, json=command.json)
    settings, devices = effective_settings(join, context.folders), context.devices()
    device = choose_device(devices, settings.device)
    manifest = load_run_file(command.recipe) if command.recipe else None
    run_id = command.run_id or address.run_id or (manifest.run.id if manifest else None)

    def show(run: RunFound) -> None:
        show_found(console_for(command.json), run, worker.session, settings, device, devices)

    consent = RunConsent(join, Consents(context.folders.contents.consents_file), context.stop, show)
    consent.require_possible()
    with WorkerSession(context, display_for(command.json)) as worker:
        network, port = settings.network, settings.port
        run = only_run(find_runs(worker, address, run_id=run_id, network=network, port=port, manifest=manifest))
        is_given = consent.is_given(run)
        worker.leave()
    if not is_given:
        return None
    return UnfinishedRun(
        addresses=address.peers,
        run_id=run.manifest.run.id,
        organiser=run.organiser,
        vouched=run.vouched,
        device=device.label,
        manifest=manifest,
    )


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
