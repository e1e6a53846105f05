"""The bench's peers are processes of the real command line."""

from __future__ import annotations

from pathlib import Path

from core.protocol.events import Failed
from tests.bench.peers.peer_process import COMMAND_LINE, PeerProcess

LIMIT_SECONDS = 60.0


def test_a_peer_of_the_bench_speaks_the_protocol(tmp_path: Path) -> None:
    words = ["join", "/ip4/127.0.0.1/tcp/1", "--yes", "--json"]
    with PeerProcess("peer", COMMAND_LINE, words, frozenset({0}), tmp_path) as peer:
        failed = peer.wait_for(lambda event: isinstance(event, Failed), LIMIT_SECONDS).event
    assert isinstance(failed, Failed) and failed.problem == "address_unreadable"
