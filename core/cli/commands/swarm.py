"""`swarm`: an organiser and some volunteers on this computer, to try a run file before others do."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence

import msgspec

from core.cli.commands.organiser.publish import wait_until_published
from core.cli.parser.arguments import TrySwarm
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import stream_for_people
from core.cli.runner.local_peers import peer_folders
from core.cli.runner.run_search import only_run
from core.cli.runner.swarm_monitor import SwarmMonitor
from core.cli.runner.worker_session import WorkerSession, raise_first_failure
from core.client.demo import publish_here
from core.files.temp_folder import temp_folder
from core.hardware.discovery import choose_device
from core.run.address import JoinAddress
from core.run.manifest import AccessSpec
from core.run.run_file import load_run_file
from core.run.spec.experts import ExpertRole
from core.run.spec.recipe import MoeLM


def swarm(command: TrySwarm, context: CommandContext) -> int:
    """Train until the last peer has reached a limit or a stop is requested; only the peers' logs are kept.

    A closed run is tried as an open one: nobody else comes to this computer. In a run with experts the volunteers also
    host them, as nobody else does.
    """
    manifest = msgspec.structs.replace(load_run_file(command.file), access=AccessSpec())
    device = choose_device(context.devices(), command.device).label
    threads = command.threads or max(1, (os.cpu_count() or 1) // command.peers)
    names = ("organiser", *(f"volunteer {number}" for number in range(1, command.peers)))
    with (
        temp_folder() as home,
        SwarmMonitor(context.stop, command.json) as monitor,
        contextlib.ExitStack() as leaving,
    ):
        folders = {name: peer_folders(home, context.folders, "swarm", name) for name in names}
        peers = {name: leaving.enter_context(monitor.add_peer(name, context, place)) for name, place in folders.items()}
        organiser, *volunteers = peers.values()
        with raise_first_failure(peers):
            organiser.client.publish(publish_here(manifest, folders["organiser"], device, threads))
            role: ExpertRole = "both" if isinstance(manifest.recipe, MoeLM) else "train"
            _join_all(volunteers, wait_until_published(organiser).link, device, threads, role)
            volunteers[-1].train(command.limits)
            for volunteer in volunteers:  # the others' last figures count as well
                volunteer.leave()
    for name, peer in peers.items():
        summary = peer.tally.summary(peer.session, time.monotonic())
        print(f"{name}: {summary}", file=stream_for_people(command.json), flush=True)
    return 0


def _join_all(volunteers: Sequence[WorkerSession], link: str, device: str, threads: int, role: ExpertRole) -> None:
    """Have all volunteers look for the run at the same time; each begins when it has found the run."""
    address = JoinAddress.parse(link)
    for volunteer in volunteers:
        volunteer.client.join(address, network="direct")
    for volunteer in volunteers:
        session = volunteer.wait_until(lambda session: session.is_search_finished)
        volunteer.client.start(only_run(session.runs), device=device, threads=threads, role=role)
