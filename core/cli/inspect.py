"""`inspect`: the runs that a swarm publishes."""

from __future__ import annotations

from core.address import JoinAddress
from core.cli.arguments import InspectSwarm
from core.cli.conversation import Conversation
from core.cli.desk import Desk
from core.cli.review import show_run
from core.cli.screen import console_for, early_display
from core.cli.search import find_runs


def inspect(wish: InspectSwarm, desk: Desk) -> int:
    """Look, show, leave."""
    address = JoinAddress.parse(wish.address)
    with Conversation(desk, early_display(wish.json)) as conversation:
        runs = find_runs(conversation, address, run_id=None, network=wish.network)
        conversation.leave()
        if not wish.json:
            console = console_for(wish.json)
            for run in runs:
                console.print()
                show_run(console, run)
    return 0
