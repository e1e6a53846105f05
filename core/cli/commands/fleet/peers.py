"""`peers`: who takes part in a run, and whom they name for what was sent."""

from __future__ import annotations

from core.cli.output.peer_table import show_peers, show_suspects
from core.cli.parser.organiser.peer_arguments import ListPeers
from core.cli.runner.context import CommandContext
from core.cli.runner.displays import console_for, display_for
from core.cli.runner.run_search import find_runs, only_run
from core.cli.runner.worker_session import WorkerSession
from core.run.address import JoinAddress


def peers(command: ListPeers, context: CommandContext) -> int:
    """Find the run, ask its peers, leave the swarm, and print what they say."""
    address = JoinAddress.parse(command.address)
    with WorkerSession(context, display_for(command.json)) as worker:
        runs = find_runs(worker, address, run_id=command.run_id, network=command.network, lists_peers=True)
        run = only_run(runs)
        session = worker.session
        worker.leave()
    if not command.json:
        console = console_for(command.json)
        if command.suspects:
            show_suspects(console, session.suspects, session.peers, run.manifest.run.id)
        else:
            show_peers(console, session.peers)
    return 0
