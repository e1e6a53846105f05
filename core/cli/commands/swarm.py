"""`swarm`: an organiser and some volunteers on this computer, to try a run file before others do."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence

from core.cli.commands.publish import wait_until_published
from core.cli.parser.arguments import TrySwarm
from core.cli.runner.context import CommandContext
from core.cli.runner.run_search import only_run
from core.cli.runner.swarm_monitor import Monitor
from core.cli.runner.worker_session import WorkerSession, raise_first_failure
from core.client.demo import publish_here
from core.files.folders import Folders
from core.files.temp_folder import temp_folder
from core.hardware.discovery import choose_device
from core.run.address import JoinAddress
from core.run.run_file import load_run_file


def swarm(wish: TrySwarm, desk: CommandContext) -> int:
    """All train until the last one has reached a limit or somebody wants to stop; nothing of it is kept."""
    manifest, device = load_run_file(wish.file), choose_device(desk.devices(), wish.device).label
    threads = wish.threads or max(1, (os.cpu_count() or 1) // wish.peers)
    names = ("organiser", *(f"volunteer {number}" for number in range(1, wish.peers)))
    with (
        temp_folder() as home,
        Monitor(desk.stop) as monitor,
        contextlib.ExitStack() as leaving,
    ):
        folders = [Folders.below(home / name.replace(" ", "-")) for name in names]
        everybody = [
            leaving.enter_context(monitor.peer(name, desk, place)) for name, place in zip(names, folders, strict=True)
        ]
        with raise_first_failure(dict(zip(names, everybody, strict=True))):
            organiser, volunteers = everybody[0], everybody[1:]
            organiser.client.publish(publish_here(manifest, folders[0], device, threads))
            _bring(volunteers, wait_until_published(organiser).link, device, threads)
            volunteers[-1].train(wish.limits)
    for name, peer in zip(names, everybody, strict=True):
        print(f"{name}: {peer.tally.summary(peer.session, time.monotonic())}", flush=True)
    return 0


def _bring(volunteers: Sequence[WorkerSession], link: str, device: str, threads: int) -> None:
    """All look for the run at the same time; whoever has found it begins."""
    address = JoinAddress.parse(link)
    for volunteer in volunteers:
        volunteer.client.join(address, network="direct")
    for volunteer in volunteers:
        session = volunteer.wait_until(lambda session: session.is_search_finished)
        volunteer.client.start(only_run(session.runs), device=device, threads=threads)
