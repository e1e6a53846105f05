"""`publish`: be a run's first peer, say where it is, go on until somebody wants to stop."""

from __future__ import annotations

import time

from core.cli.parser.arguments import PublishRun
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import early_display, shown_training, words_stream
from core.cli.runner.worker_session import WorkerSession
from core.client.session import Session
from core.hardware.discovery import choose_device
from core.protocol.commands import Publish
from core.protocol.events import Published
from core.run.run_file import load_run_file


def publish(wish: PublishRun, desk: CommandContext) -> int:
    """Publish the run file; it stays published until this returns."""
    command = publish_command(wish, desk)
    with WorkerSession(desk, early_display(wish.json)) as conversation:
        conversation.client.publish(command)
        published = wait_until_published(conversation)
        if not wish.json:
            print(address_to_share(published), flush=True)
        with shown_training(conversation, desk.stop, wish.json):
            conversation.train(wish.limits)
        print(_goodbye(conversation, wish), file=words_stream(wish.json), flush=True)
    return 0


def publish_command(wish: PublishRun, desk: CommandContext) -> Publish:
    """What the worker is asked to do; raises ClientError for a wrong file or a device that is not there."""
    manifest = load_run_file(wish.file)
    device = choose_device(desk.devices(), wish.device)
    return Publish(
        manifest=manifest,
        home=str(desk.folders.data),
        identity=str(wish.identity.absolute()) if wish.identity else None,
        listen=wish.listen,
        announce=wish.announce,
        train=wish.train,
        device=device.label,
        threads=wish.threads,
        public_name=wish.public_name or "",
        checkpoint_every_epochs=wish.checkpoint_every_epochs,
    )


def wait_until_published(conversation: WorkerSession) -> Published:
    """Where the run is, once it is up."""

    def is_up(session: Session) -> bool:
        return session.published is not None

    published = conversation.wait_until(is_up).published
    assert published is not None
    return published


def address_to_share(published: Published) -> str:
    """Plain lines that may be copied whole: never wrapped, never drawn over."""
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


def _goodbye(conversation: WorkerSession, wish: PublishRun) -> str:
    if not wish.train:
        epochs = conversation.session.epochs_done
        return f"Kept the run's state for {epochs} epoch{'' if epochs == 1 else 's'}, and said goodbye."
    return conversation.tally.summary(conversation.session, time.monotonic())
