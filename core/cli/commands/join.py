"""`join`: find the run, ask the volunteer, train, leave. The demo's volunteer goes the same way."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from core.cli.output.run_review import show_offer
from core.cli.parser.arguments import JoinRun
from core.cli.runner.cancellation import Stop
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import console_for, early_display, shown_training, words_stream
from core.cli.runner.effective_settings import choices_for
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


def join(
    wish: JoinRun,
    desk: CommandContext,
    *,
    folders: Folders | None = None,
    footer: Callable[[], str] | None = None,
) -> int:
    """Help until a limit is reached or somebody wants to stop; ``footer`` ends the live display."""
    address = JoinAddress.parse(wish.address)
    _refuse_to_guess_consent(wish)
    manifest = load_run_file(wish.recipe) if wish.recipe else None
    run_id = wish.run_id or (manifest.run.id if manifest else None)
    choices = choices_for(wish, folders or desk.folders)
    devices = desk.devices()
    device = choose_device(devices, choices.device)
    with WorkerSession(desk, early_display(wish.json), folders) as conversation:
        runs = find_runs(
            conversation, address, run_id=run_id, network=choices.network, port=choices.port, manifest=manifest
        )
        run = only_run(runs)
        show_offer(console_for(wish.json), run, device, devices)
        if not (wish.yes or _agrees(desk.stop, words_stream(wish.json))):
            conversation.leave()
            print("Nothing was started.", file=words_stream(wish.json))
            return 0
        _start(conversation, run, device, choices)
        with shown_training(conversation, desk.stop, wish.json, footer):
            conversation.train(wish.limits)
        summary = conversation.tally.summary(conversation.session, time.monotonic())
    print(summary, file=words_stream(wish.json), flush=True)
    return 0


def _start(conversation: WorkerSession, run: RunFound, device: Device, choices: Settings) -> None:
    conversation.client.start(
        run,
        device=device.label,
        threads=choices.threads,
        public_name=choices.public_name or "",
        disk_limit_bytes=choices.disk_limit_bytes,
        memory_limit_bytes=choices.memory_limit_bytes,
    )


def _refuse_to_guess_consent(wish: JoinRun) -> None:
    if not wish.yes and not sys.stdin.isatty():
        raise UserError(
            ErrorKind.USAGE,
            "There is no terminal to ask you at: add --yes to start without being asked, or look at the run "
            "with `workerbee inspect` first.",
        )


def _agrees(stop: Stop, stream: TextIO) -> bool:
    """Ask; anything but a clear yes is a no."""
    with stop.while_asking():
        print("Start? [y/N] ", end="", file=stream, flush=True)
        answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        print(file=stream)
    return answer.strip().lower() in ("y", "yes")
