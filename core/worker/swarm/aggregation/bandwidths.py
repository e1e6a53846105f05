"""Bounds on the bandwidths by which a group shares the work of averaging: a claim alone takes no larger share.

All members must come to the same shares, so the bounds are made of nothing but what the leader has handed to everybody.
A plain hivemind peer knows no bounds: where one is in the group, they are so wide that they change nothing for peers
that are honest, none of which states more than ``MAX_STATED``.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace

from core.worker.swarm.aggregation.member_metadata import MemberMetadata, is_bandwidth

CAP = 4.0  # times the median of those that are stated
MAX_STATED = 100.0  # Mbit/s


def stated_bandwidth(*bits_per_second: float | None) -> float | None:
    """What a peer tells the group of its line, in Mbit/s: the least that is known of it, ``None`` where nothing is."""
    known = [each / 1e6 for each in bits_per_second if each is not None]
    return min(*known, MAX_STATED) if known else None


def bounded_bandwidths(members: Sequence[MemberMetadata]) -> list[MemberMetadata]:
    """What the ``members`` of a group have told it, with bandwidths that can be used.

    What is no positive number counts as not stated, and as the mean of the others, as hivemind has it.
    """
    stated = [each.bandwidth for each in members if _is_stated(each)]
    limit = CAP * statistics.median_low(stated) if stated else math.inf
    if any(each.told is None for each in members):  # a plain hivemind peer
        limit = max(limit, MAX_STATED)
    return [replace(each, bandwidth=min(each.bandwidth, limit) if _is_stated(each) else None) for each in members]


def _is_stated(member: MemberMetadata) -> bool:
    return is_bandwidth(member.bandwidth) and member.bandwidth > 0
