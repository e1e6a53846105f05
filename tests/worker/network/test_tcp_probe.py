"""A TCP probe tells an open port from a refused connection, and from silence."""

from __future__ import annotations

import socket

from core.worker.network.tcp_probe import tcp_probe
from tests.support.peers.sample_addresses import PEER_ID


def test_a_probe_tells_who_is_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.create_server(("127.0.0.1", 0)) as closed:
        is_open, refused = (f"/ip4/127.0.0.1/tcp/{each.getsockname()[1]}/p2p/{PEER_ID}" for each in (listening, closed))
        closed.close()
        results = tcp_probe([is_open, refused, "/ip4/127.0.0.1/udp/1/quic-v1", "/unix/nonsense"])
    assert list(results.values()) == ["open", "refused", "open", "open"]
