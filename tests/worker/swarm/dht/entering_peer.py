"""A volunteer that enters the DHT of one multiaddr, in a process of its own, and says how that went.

Its arguments are a folder and the multiaddr. What it prints: the problem's key; or how many peers it knows, and for how
many seconds it waits for an answer from then on. Its log goes to standard error.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

from hivemind.dht import DHT

from core.errors import UserError
from core.worker.process import process_tree
from tests.support.peers.state_peers import entered


async def seconds_for_an_answer(_dht: DHT, node: Any) -> float:
    """How long that node waits for one."""
    return float(node.protocol.wait_timeout)


def main() -> None:
    """Enter, say how it went, and leave."""
    logging.basicConfig(level=logging.INFO)
    process_tree.setup_fork_handling()
    try:
        swarm = entered(Path(sys.argv[1]), "/ip4/127.0.0.1/tcp/0", sys.argv[2:], "client")
    except UserError as error:
        print(error.problem.key)
        return
    print(swarm.known_peers(), swarm.dht.run_coroutine(seconds_for_an_answer))
    swarm.leave()


if __name__ == "__main__":
    main()
