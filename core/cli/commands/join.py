"""`join`: find the run, ask the volunteer, train, leave; the volunteer of `demo` uses it too."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from core.cli.output.run_review import show_offer
from core.cli.parser.arguments import JoinRun
from core.cli.runner.cancellation import Stop
from core.cli.runner.context import CommandContext, effective_settings
from core.cli.runner.displays import console_for, display_for, live_training, stream_for_people
from core.cli.runner.run_search import find_runs, only_run
from core.cli.runner.worker_session import WorkerSession
from core.errors import ErrorKind, UserError
from core.files.folders import Folders
from core.hardware.device import Device
from core.hardware.discovery import choose_device
from core.protocol.events import RunFound
from core.records.settings import Settings
from core.run.address import JoinAddress
from core.run.run_file import load_run_file
from core.texts.traffic import known_line


def join(
    command: JoinRun,
    context: CommandContext,
    *,
    folders: Folders | None = None,
    footer: Callable[[], str] | None = None,
) -> int:
    """Train until a limit is reached or a stop is requested; ``footer`` returns the last line of the live display."""
    address = JoinAddress.parse(command.address)
    _require_consent(command)
    manifest = load_run_file(command.recipe) if command.recipe else None
    run_id = command.run_id or (manifest.run.id if manifest else None)
    settings = effective_settings(command, folders or context.folders)
    devices = context.devices()
    device = choose_device(devices, settings.device)
    with WorkerSession(context, display_for(command.json), folders) as worker:
        runs = find_runs(
            worker, address, run_id=run_id, network=settings.network, port=settings.port, manifest=manifest
        )
        run = only_run(runs)
        line = known_line(settings, worker.session.upload)
        show_offer(console_for(command.json), run, device, devices, line)
        if not (command.yes or _agrees(context.stop, stream_for_people(command.json))):
            worker.leave()
            print("Nothing was started.", file=stream_for_people(command.json))
            return 0
        _start(worker, run, device, settings)
        with live_training(worker, context.stop, command.json, footer):
            worker.train(command.limits)
        summary = worker.tally.summary(worker.session, time.monotonic())
    print(summary, file=stream_for_people(command.json), flush=True)
    return 0


def _start(worker: WorkerSession, run: RunFound, device: Device, settings: Settings) -> None:
    worker.client.start(
        run,
        device=device.label,
        threads=settings.threads,
        public_name=settings.public_name or "",
        disk_limit_bytes=settings.disk_limit_bytes,
        memory_limit_bytes=settings.memory_limit_bytes,
    )


def _require_consent(command: JoinRun) -> None:
    if not command.yes and not sys.stdin.isatty():
        raise UserError(
            ErrorKind.USAGE,
            "There is no terminal to ask you at: add --yes to start without being asked, or look at the run "
            "with `workerbee inspect` first.",
        )


def _agrees(stop: Stop, stream: TextIO) -> bool:
    """Ask; anything but a clear yes is a no."""
    with stop.while_prompting():
        print("Start? [y/N] ", end="", file=stream, flush=True)
        answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        print(file=stream)
    return answer.strip().lower() in ("y", "yes")
