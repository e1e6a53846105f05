"""Rounds and entries that fail in hivemind itself; what each becomes is said in lines of JSON."""

from __future__ import annotations

import socket
import tempfile
from pathlib import Path

import hivemind

from core.errors import UserError
from core.security.identity import Identity
from core.worker.process import process_tree
from core.worker.swarm import enter_swarm, patches
from core.worker.swarm.averaging.round_reasons import failure_reason
from tests.support.peers.stale_round_peers import OPTIONS, averager, say

SEARCH_SECONDS = 6.0


def main() -> None:
    """A round for which nobody comes, and a swarm that is to be entered at a port that is taken."""
    process_tree.setup_fork_handling()
    patches.apply()
    with tempfile.TemporaryDirectory() as folder:
        say(port=enter_at_a_taken_port(Path(folder)))
    lonely = averager(hivemind.DHT(**OPTIONS)).step(weight=1.0, timeout=SEARCH_SECONDS, wait=False)
    error = lonely.exception(10 * SEARCH_SECONDS)
    say(lonely=str(failure_reason(error)), kind=type(error).__name__)


def enter_at_a_taken_port(folder: Path) -> str:
    """The kind of error of an entry where another socket listens."""
    identity = Identity.load_or_create(folder / "identity")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = [f"/ip4/127.0.0.1/tcp/{taken.getsockname()[1]}"]
        path = folder / "identity"
        try:
            enter_swarm([], folder / "progress", identity=identity, identity_path=path, mode="direct", listen=listen)
        except UserError as error:
            return error.problem.key
    return ""


if __name__ == "__main__":
    main()
