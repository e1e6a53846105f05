"""A TCP probe of multiaddrs: whether a host accepts connections, unknown to libp2p and its dial back-off."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
import time
from collections.abc import Sequence
from typing import Literal

from core.run.multiaddr import readable_multiaddrs

PROBE_SECONDS = 3.0
SLACK_SECONDS = 0.5  # beyond that, for a computer that does much else

ProbeResult = Literal["open", "refused", "timeout"]
"""A peer may be there; its computer is there, and no peer; nothing is heard, as where a line is cut."""


def tcp_probe(addresses: Sequence[str], seconds: float = PROBE_SECONDS) -> dict[str, ProbeResult]:
    """Each address's result after ``seconds`` at most, all probed at once. What is not plain TCP counts as open.

    A name lookup cannot be cut short; a thread that hangs in one is left to itself, as a "timeout".
    """
    found: queue.SimpleQueue[tuple[str, ProbeResult]] = queue.SimpleQueue()
    for address in addresses:
        threading.Thread(target=_put_result, args=(address, seconds, found), name="tcp probe", daemon=True).start()
    results: dict[str, ProbeResult] = dict.fromkeys(addresses, "timeout")
    deadline = time.monotonic() + seconds + SLACK_SECONDS
    with contextlib.suppress(queue.Empty):
        for _ in addresses:
            address, result = found.get(timeout=max(0.0, deadline - time.monotonic()))
            results[address] = result
    return results


def _put_result(address: str, seconds: float, found: queue.SimpleQueue[tuple[str, ProbeResult]]) -> None:
    found.put((address, _probe(seconds, address)))


def _probe(seconds: float, address: str) -> ProbeResult:
    endpoint = next((each.tcp_endpoint for each in readable_multiaddrs([address])), None)
    if endpoint is None:
        return "open"
    try:
        with socket.create_connection(endpoint, seconds):
            return "open"
    except ConnectionRefusedError:
        return "refused"
    except (OSError, ValueError):  # ValueError: a name that no lookup can encode
        return "timeout"
