"""Whether an IP address is one that the whole internet may dial, or lies in somebody's own network."""

from __future__ import annotations

import ipaddress


def is_public(host: str) -> bool:
    """Whether all the world may dial that IP address; a name counts as public until it is looked up."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return host != "localhost"
    return (getattr(ip, "ipv4_mapped", None) or ip).is_global
