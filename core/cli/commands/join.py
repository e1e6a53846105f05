"""`join`: find the run, ask the volunteer, train, leave; the volunteer of `demo` uses it too."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from core.availability.presets import only_pace
from core.cli.output.run_review import show_found
from core.cli.output.wrapping import print_wrapped
from core.cli.parser.arguments import JoinRun
from core.cli.runner.context import CommandContext, CurrentSettings
from core.cli.runner.contribution_recorder import recording_contributions
from core.cli.runner.displays import console_for, display_for, live_training, stream_for_people
from core.cli.runner.owner_rules import following_rules
from core.cli.runner.run_consent import RunConsent
from core.cli.runner.run_search import find_runs, only_run
from core.cli.runner.worker_session import WorkerSession
from core.files.folders import Folders
from core.hardware.device import Device
from core.hardware.discovery import choose_device
from core.protocol.events import RunFound
from core.records.consents import Consents
from core.records.settings import Settings
from core.run.address import JoinAddress
from core.run.manifest import RunManifest
from core.run.run_file import load_run_file
from core.suspend.without_window import leaving_before_suspends


def join(
    command: JoinRun,
    context: CommandContext,
    *,
    folders: Folders | None = None,
    footer: Callable[[], str] | None = None,
) -> int:
    """Train until a limit is reached or a stop is requested; ``footer`` returns the last line of the live display."""
    there = folders or context.folders
    address, current = JoinAddress.parse(command.address), CurrentSettings(command, there)
    settings, devices = current(), context.devices()

    def show(run: RunFound) -> None:
        console = console_for(command.json)
        show_found(console, run, worker.session, settings, device, devices, train=command.train)

    consent = RunConsent(command, Consents(there.contents.consents_file), context.stop, show)
    consent.require_possible()
    manifest = load_run_file(command.recipe) if command.recipe else None
    device = choose_device(devices, settings.device if command.train else "cpu")
    worker = WorkerSession(context, display_for(command.json), folders)
    heeded = heeding_rules(worker, command, current, there, device)
    with worker, recording_contributions(worker, there), heeded:
        run = only_run(_found(worker, address, command, settings, manifest))
        if not consent.is_given(run):
            worker.leave()
            print("Nothing was started.", file=stream_for_people(command.json))
            return 0
        _start(worker, run, device, settings, train=command.train)
        while (changed := _train(worker, context, command, consent, footer)) is not None:
            _start(worker, changed, device, settings, train=command.train)
        worker.leave()
        summary = worker.tally.summary(worker.session, time.monotonic())
    print_wrapped(summary, stream_for_people(command.json))
    return 0


def heeding_rules(
    worker: WorkerSession, command: JoinRun, current: CurrentSettings, folders: Folders, device: Device
) -> AbstractContextManager[None]:
    """A context in which the owner's rules decide, as they are at each look.

    With ``--always`` none pauses, a full disk neither: they decide about the pace alone.
    """
    if command.always:
        return following_rules(worker, lambda: only_pace(current().availability), folders, [device], pauses=False)
    return following_rules(worker, lambda: current().availability, folders, [device])


def _found(
    worker: WorkerSession, address: JoinAddress, command: JoinRun, settings: Settings, manifest: RunManifest | None
) -> tuple[RunFound, ...]:
    """The runs at the address, of which the command or the run file may name one."""
    run_id = command.run_id or (manifest.run.id if manifest else None)
    network, port = settings.network, settings.port
    return find_runs(worker, address, run_id=run_id, network=network, port=port, manifest=manifest, waits_for_room=True)


def _train(
    worker: WorkerSession,
    context: CommandContext,
    command: JoinRun,
    consent: RunConsent,
    footer: Callable[[], str] | None,
) -> RunFound | None:
    """Train to the end; return the run as it has become where that is another one, and the person agrees to it, too."""
    with leaving_before_suspends(worker), live_training(worker, context.stop, command.json, footer):
        worker.train(command.limits)
    changed, agreed = worker.changed_run, worker.session.agreed
    is_agreed = changed is not None and agreed is not None and consent.is_given_again(changed, agreed)
    return changed if is_agreed else None


def _start(worker: WorkerSession, run: RunFound, device: Device, settings: Settings, *, train: bool) -> None:
    worker.client.start(
        run,
        device=device.label,
        threads=settings.threads,
        public_name=settings.public_name or "",
        disclosure=settings.disclosure,
        disk_limit_bytes=settings.disk_limit_bytes,
        memory_limit_bytes=settings.memory_limit_bytes,
        role=settings.expert_role,
        hosted_experts=settings.hosted_experts,
        train=train,
    )
