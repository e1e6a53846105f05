"""Whether somebody's computer is there: a plain connection that libp2p and its back-off know nothing of."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
import time
from collections.abc import Sequence
from typing import Literal

KNOCK_SECONDS = 3.0
SLACK_SECONDS = 0.5  # beyond that, for a computer that does much else

Answer = Literal["accepts", "refuses", "silent"]
"""A peer may be there; its computer is there, and it is gone; nothing is heard, as where a line is cut."""


def tcp_probe(addresses: Sequence[str], seconds: float = KNOCK_SECONDS) -> dict[str, Answer]:
    """Each address's answer within so long, all asked at once. What is no plain TCP counts as accepting.

    Who looks for a name's address cannot be hurried; where nobody tells it, that thread is left to itself.
    """
    heard: queue.SimpleQueue[tuple[str, Answer]] = queue.SimpleQueue()
    for address in addresses:
        threading.Thread(target=_ask, args=(address, seconds, heard), name="knock", daemon=True).start()
    answers: dict[str, Answer] = dict.fromkeys(addresses, "silent")
    deadline = time.monotonic() + seconds + SLACK_SECONDS
    with contextlib.suppress(queue.Empty):
        for _ in addresses:
            address, answer = heard.get(timeout=max(0.0, deadline - time.monotonic()))
            answers[address] = answer
    return answers


def _ask(address: str, seconds: float, heard: queue.SimpleQueue[tuple[str, Answer]]) -> None:
    heard.put((address, _answer(seconds, address)))


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
