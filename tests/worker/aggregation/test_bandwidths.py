"""The bandwidths by which a group shares its work: a claim alone takes no larger share, and all read it alike."""

from __future__ import annotations

from typing import Any

import pytest
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.aggregation.bandwidths import bounded_bandwidths
from core.worker.swarm.aggregation.member_metadata import MemberMetadata
from core.worker.swarm.patches.group_checks import gathered_error


def packed(bandwidth: Any, told: Any = (7, ())) -> bytes:
    """What a member of a group tells it, as hivemind packs it."""
    return bytes(MSGPackSerializer.dumps([bandwidth, 0, MSGPackSerializer.dumps(told)]))


def told(*bandwidths: Any) -> list[MemberMetadata]:
    """What members that know of bounds have told their group."""
    return [MemberMetadata.unpacked(packed(each)) for each in bandwidths]


@pytest.mark.parametrize(
    ("stated", "used"),
    [
        ((1e6, 1.0, 1.0), [4.0, 1.0, 1.0]),
        ((1e6, 10.0, None), [40.0, 10.0, None]),
        ((None, None), [None, None]),
        ((float("nan"), -1.0, "much", 20.0), [None, None, None, 20.0]),
        ((0, 20.0), [None, 20.0]),
        ((10.0, 20.0, 60.0), [10.0, 20.0, 60.0]),
    ],
)
def test_a_claimed_bandwidth_counts_for_four_times_the_median_at_most(
    stated: tuple[Any, ...], used: list[float | None]
) -> None:
    assert [each.bandwidth for each in bounded_bandwidths(told(*stated))] == used


def test_beside_a_plain_hivemind_peer_the_bandwidths_of_honest_peers_stay_as_they_are() -> None:
    group = [*told(100.0, 2.0), MemberMetadata.unpacked(packed(2.0, None)), MemberMetadata.unpacked(packed(None, None))]
    assert bounded_bandwidths(group) == group
    assert bounded_bandwidths([*told(1e6), *group])[0].bandwidth == 100.0


@pytest.mark.parametrize("stated", [True, False, float("nan"), float("inf"), -1.0, 1e12, "20", [20.0]])
def test_what_may_not_be_told_as_a_bandwidth_never_counts_as_one(stated: Any) -> None:
    assert gathered_error(packed(stated))
    assert [each.bandwidth for each in bounded_bandwidths(told(stated, 20.0))] == [None, 20.0]


def test_what_a_member_has_told_is_the_same_after_it_was_unpacked() -> None:
    for gathered in (packed(20.0), packed(None, None), packed(0, 7)):
        assert MemberMetadata.unpacked(gathered).packed() == gathered
