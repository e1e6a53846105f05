"""`publish`: start a run as its first peer, print its address, go on until a stop is requested."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from core.cli.commands.fleet.metrics import OwnFleet, serving_metrics
from core.cli.commands.organiser.pusher import ModelPusher
from core.cli.commands.organiser.take_over import run_to_take_over
from core.cli.output.summary import counted
from core.cli.output.wrapping import print_wrapped
from core.cli.parser.organiser.publish_arguments import PublishRun
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import display_for, live_training, stream_for_people
from core.cli.runner.worker_session import WorkerSession
from core.client.session import Session
from core.errors import ErrorKind, UserError
from core.hardware.discovery import choose_device
from core.protocol.commands import Publish, Succession
from core.protocol.events import Published, Pushed, Warned
from core.records.published.mirror import is_mirrored_in
from core.run.manifest import RunManifest
from core.run.round_estimate import HOME_GPU_FLOP_PER_SECOND, Line, estimate_round
from core.run.run_file import load_run_file
from core.texts.figures import size

HOME_LINE, HOME_VOLUNTEERS = Line(20e6, 100e6), 8


def publish(command: PublishRun, context: CommandContext) -> int:
    """Publish the run file, or lead a run on; the run stays published until this returns."""
    request = publish_request(command, context)
    with serving_metrics(command.metrics) as serve, WorkerSession(context, display_for(command.json)) as worker:
        if serve is not None:
            worker.listeners.append(OwnFleet(serve, request.manifest).handle_event)
        worker.client.publish(request)
        published = wait_until_published(worker)
        if not command.json:
            print(address_to_share(published), keeper_needs(request.manifest), sep="", flush=True)
        with _pushes(worker, command, request, context), live_training(worker, context.stop, command.json):
            worker.train(command.limits)
        print_wrapped(_summary(worker, command), stream_for_people(command.json))
    return 0


@contextmanager
def _pushes(worker: WorkerSession, command: PublishRun, request: Publish, context: CommandContext) -> Iterator[None]:
    """While this lasts, the model is pushed to the hub now and then, if that is wanted."""
    if command.push is None:
        yield
        return

    def tell(event: Pushed | Warned) -> None:
        worker.display.handle_event(event, worker.session)

    manifest, every = request.manifest, command.push_every_epochs
    mirror = command.mirror if is_mirrored_in(manifest, command.push) else None
    pusher = ModelPusher(manifest.run.id, command.push, every, context, tell, mirror)
    worker.listeners.append(pusher.handle_event)
    try:
        yield
    finally:
        pusher.close()


def publish_request(command: PublishRun, context: CommandContext) -> Publish:
    """Return the command for the worker; raises UserError for a wrong file or a device that is not there."""
    manifest, succession = _run_to_publish(command, context)
    if command.mirror is not None and not manifest.collaboration.mirror:
        raise UserError(ErrorKind.USAGE, "--mirror needs a run file that names its address: [collaboration] mirror.")
    device = choose_device(context.devices(), command.device)
    return Publish(
        manifest=manifest,
        home=str(context.folders.data),
        identity=str(command.identity.absolute()) if command.identity else None,
        listen=command.listen,
        announce=command.announce,
        train=command.train,
        device=device.label,
        threads=command.threads,
        public_name=command.public_name or "",
        checkpoint_every_epochs=_checkpoint_every(command),
        from_checkpoint=command.from_checkpoint,
        mirror=str(command.mirror.absolute()) if command.mirror else None,
        mirror_rounds=command.mirror_rounds,
        succession=succession,
    )


def _checkpoint_every(command: PublishRun) -> int:
    """What is pushed is a checkpoint, so these are as close to each other as the pushes."""
    every = command.checkpoint_every_epochs
    return every if command.push is None else min(every, command.push_every_epochs)


def _run_to_publish(command: PublishRun, context: CommandContext) -> tuple[RunManifest, Succession | None]:
    """What the run file says, or the run that is taken over; raises UserError."""
    if command.succeed is not None:
        return run_to_take_over(command.succeed, command.identity, context, wants_json=command.json)
    assert command.file is not None
    return load_run_file(command.file), None


def wait_until_published(worker: WorkerSession) -> Published:
    """Return the addresses of the run, once it is published."""

    def is_up(session: Session) -> bool:
        return session.published is not None

    published = worker.wait_until(is_up).published
    assert published is not None
    return published


def address_to_share(published: Published) -> str:
    """Return the addresses as plain lines that can be copied whole: never wrapped, never drawn over."""
    lines = [
        "",
        "Share this link:",
        "",
        published.link,
        "",
        "or these addresses:",
        "",
        *published.addresses,
        "",
    ]
    return "\n".join(lines)


def keeper_needs(manifest: RunManifest) -> str:
    """What the only computer that others can reach must send, for `HOME_VOLUNTEERS` behind routers: an estimate.

    It is empty where a round is shorter than the search for a group, which the estimate leaves out.
    """
    estimate = estimate_round(manifest, HOME_LINE, HOME_GPU_FLOP_PER_SECOND, HOME_VOLUNTEERS)
    if estimate.round_seconds < manifest.collaboration.matchmaking_time:
        return ""
    return (
        f"If this is the only computer that others can reach, its line carries {round(estimate.keeper_upload / 1e6)} "
        f"Mbit/s each way for {HOME_VOLUNTEERS} volunteers with {HOME_LINE}, and "
        f"{size(estimate.keeper_bytes_per_day)} a day; others help with: workerbee join ADDRESS --no-train\n"
    )


def _summary(worker: WorkerSession, command: PublishRun) -> str:
    if not command.train:
        return f"Kept the run's state for {counted(worker.session.epochs_done, 'epoch')}, and left."
    return worker.tally.summary(worker.session, time.monotonic())
