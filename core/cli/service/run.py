"""`service run`: what the service manager starts; it goes on with the run that was agreed to, or with several."""

from __future__ import annotations

import time
from functools import partial

from core.cli.options.shared_options import NO_LIMITS
from core.cli.parser.arguments import JoinRun
from core.cli.parser.service_arguments import RunService
from core.cli.runner.context import CommandContext, CurrentSettings
from core.cli.runner.contribution_recorder import recording_contributions
from core.cli.runner.displays import display_for, stream_for_people
from core.cli.runner.ordered_training import OrderedTraining
from core.cli.runner.owner_rules import following_rules
from core.cli.runner.worker_session import WorkerSession
from core.cli.service.upgrade import UPGRADED_CODE, stopping_with_program
from core.errors import ErrorKind, UserError
from core.files.locks import try_lock
from core.files.package_mark import PackageMark
from core.hardware.discovery import choose_device
from core.protocol.client_events import RunContinued
from core.records.consents import Consents
from core.records.settings import Settings
from core.records.unfinished_run import UnfinishedRunFile, continuation, is_finished
from core.run_order.order import RunOrderFile
from core.suspend.without_window import leaving_before_suspends
from core.texts.consent import changes_since

_ASK_AGAIN = "`workerbee service install` shows it, and asks you."


def run_service(command: RunService, context: CommandContext) -> int:
    """Train until SIGTERM, by the owner's rules; returns 0 when the organiser has finished the run, too.

    Returns `UPGRADED_CODE` after an upgrade by the package manager, so that the service manager starts the new version,
    and 0 after a removal of the program, so that it does not.
    Raises UserError: RUN_CHANGED where the run is another than was agreed to, of which nothing is trained.
    """
    mark = PackageMark()
    with stopping_with_program(mark, context.stop):
        code = _run(command, context)
    return UPGRADED_CODE if mark.is_replaced() else code


def _run(command: RunService, context: CommandContext) -> int:
    contents = context.folders.contents
    held = try_lock(contents.service_lock)
    if held is None:
        raise UserError(ErrorKind.STILL_RUNNING, "The service runs already.")
    with held:
        settings = CurrentSettings(JoinRun("", json=command.json), context.folders)
        file = RunOrderFile(contents.service_order_file)
        if len(file.order.runs) > 1:
            return _run_in_order(command, context, settings, file)
        event = _continuation(context, settings())
        devices = [device for device in context.devices() if device.label == event.consent.device]
        worker = WorkerSession(context, display_for(command.json))
        heeded = following_rules(worker, lambda: settings().availability, context.folders, devices)
        with worker, recording_contributions(worker, context.folders), heeded, leaving_before_suspends(worker):
            worker.post(event)
            try:
                worker.train(NO_LIMITS)
            except UserError:
                if not is_finished(worker.session):
                    raise
            changed = worker.changed_run
            worker.leave()
            summary = worker.tally.summary(worker.session, time.monotonic())
        if changed is not None:
            lines = "; ".join(changes_since(event.agreed.manifest, changed.manifest))
            raise UserError(ErrorKind.RUN_CHANGED, f"{lines}. {_ASK_AGAIN}")
    print(summary, file=stream_for_people(command.json), flush=True)
    return 0


def _run_in_order(command: RunService, context: CommandContext, settings: CurrentSettings, file: RunOrderFile) -> int:
    """Help the runs in their order, and write down each change."""
    devices = context.devices()
    chosen = choose_device(devices, settings().device)
    worker = WorkerSession(context, display_for(command.json))
    heeded = following_rules(worker, lambda: settings().availability, context.folders, [chosen])
    with worker, recording_contributions(worker, context.folders), heeded, leaving_before_suspends(worker):
        people = partial(stream_for_people, command.json)
        OrderedTraining(worker, context, settings, file.order, people, file).run(NO_LIMITS)
    return 0


def _continuation(context: CommandContext, settings: Settings) -> RunContinued:
    """How the run goes on that was agreed to; raises UserError where there is none."""
    folders = context.folders
    run = UnfinishedRunFile(folders.contents.service_run_file).load()
    if run is None:
        raise UserError(ErrorKind.USAGE, "No run was chosen for the service: `workerbee service install` does.")
    event = continuation(run, Consents(folders.contents.consents_file), settings, context.devices(), folders)
    if event is None:
        raise UserError(ErrorKind.RUN_CHANGED, f"What you agreed to of “{run.run_id}” is not known. {_ASK_AGAIN}")
    return event
