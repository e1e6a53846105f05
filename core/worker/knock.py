"""Whether somebody's computer is there: a plain connection that libp2p and its back-off know nothing of."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Literal

KNOCK_SECONDS = 3.0

Answer = Literal["accepts", "refuses", "silent"]
"""A peer may be there; its computer is there, and it is gone; nothing is heard, as where a line is cut."""


def knock(addresses: Sequence[str], seconds: float = KNOCK_SECONDS) -> dict[str, Answer]:
    """Each address's answer within so long, all asked at once. What is no plain TCP counts as accepting."""
    with ThreadPoolExecutor(max_workers=16) as pool:
        return dict(zip(addresses, pool.map(partial(_answer, seconds), addresses), strict=True))


def _answer(seconds: float, address: str) -> Answer:
    parts = address.split("/")
    if len(parts) < 5 or parts[1] not in ("ip4", "ip6", "dns", "dns4", "dns6") or parts[3] != "tcp":
        return "accepts"
    try:
        with socket.create_connection((parts[2], int(parts[4])), seconds):
            return "accepts"
    except ConnectionRefusedError:
        return "refuses"
    except (OSError, ValueError):
        return "silent"
