"""Bounds on the bandwidths by which a group shares the work of averaging: a claim alone takes no larger share.

All members must come to the same shares, so the bounds are made of nothing but what the leader has handed to everybody.
A plain hivemind peer knows no bounds: where one is in the group, they are so wide that they change nothing for peers
that are honest, none of which states more than ``MAX_STATED``.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

from hivemind.utils import MSGPackSerializer

CAP = 4.0  # times the median of those that are stated
MAX_STATED = 100.0  # Mbit/s
TOLD = "bounded"  # to the group, by a peer that bounds bandwidths and has nothing else to tell


def stated_bandwidth(*bits_per_second: float | None) -> float | None:
    """What a peer tells the group of its line, in Mbit/s: the least that is known of it, ``None`` where nothing is."""
    known = [each / 1e6 for each in bits_per_second if each is not None]
    return min(*known, MAX_STATED) if known else None


def bounded_bandwidths(gathered: Sequence[bytes]) -> tuple[bytes, ...]:
    """What each member has told the group, with bandwidths that can be used.

    One is what `DecentralizedAverager.step` packs: bandwidth, mode and the packed ``gather`` argument, which a plain
    hivemind peer leaves out. What is no positive number counts as not stated, and as the mean of the others, as
    hivemind has it.
    """
    told = [MSGPackSerializer.loads(each) for each in gathered]
    stated = [each[0] for each in told if _is_bandwidth(each[0])]
    limit = CAP * statistics.median_low(stated) if stated else math.inf
    if any(MSGPackSerializer.loads(user_data) is None for _bandwidth, _mode, user_data in told):
        limit = max(limit, MAX_STATED)
    return tuple(
        MSGPackSerializer.dumps([min(bandwidth, limit) if _is_bandwidth(bandwidth) else None, mode, user_data])
        for bandwidth, mode, user_data in told
    )


def _is_bandwidth(stated: Any) -> bool:
    return isinstance(stated, float | int) and 0 < stated < math.inf
