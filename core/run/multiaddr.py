"""A libp2p multiaddr: where a peer listens, and which peer that is."""

from __future__ import annotations

import ipaddress


def is_loopback(address: str) -> bool:
    """Whether a multiaddr names this very computer."""
    kind, host = [*address.split("/"), "", ""][1:3]
    return kind in ("ip4", "ip6") and ipaddress.ip_address(host).is_loopback
