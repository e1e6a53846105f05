"""A TCP probe of multiaddrs: whether a host accepts connections, unknown to libp2p and its dial back-off."""

from __future__ import annotations

from collections.abc import Sequence

from core.run.multiaddr import readable_multiaddrs
from core.worker.delegation.network import ProbeResult, dial

PROBE_SECONDS = 3.0


def tcp_probe(addresses: Sequence[str], seconds: float = PROBE_SECONDS) -> dict[str, ProbeResult]:
    """Each address's result after ``seconds`` at most, all probed at once. What is not plain TCP counts as open."""
    results: dict[str, ProbeResult] = dict.fromkeys(addresses, "open")
    plain = [(address, each.tcp_endpoint) for address in results for each in readable_multiaddrs([address])]
    dialled = [(address, endpoint) for address, endpoint in plain if endpoint is not None]
    results.update((address, "timeout") for address, _ in dialled)
    for place, result in dial([endpoint for _, endpoint in dialled], seconds):
        results[dialled[place][0]] = result
    return results
