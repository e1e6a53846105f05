"""What a member tells its group is read before it may join, and no leader can begin a group that averages nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hivemind.p2p import PeerID
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.patches.group_checks import MAX_GROUP, InvalidGroupError, check_group, gathered_error


def gathered(bandwidth: Any = None, mode: Any = 0, told: bytes | None = None) -> bytes:
    """As hivemind packs it."""
    packed = MSGPackSerializer.dumps(7) if told is None else told
    return bytes(MSGPackSerializer.dumps([bandwidth, mode, packed]))


def peers(number: int) -> list[PeerID]:
    """So many ids."""
    return [PeerID(b"\x12\x20" + each.to_bytes(32, "big")) for each in range(number)]


GOOD = gathered()
BAD = [
    b"",
    b"\xc1",
    bytes(MSGPackSerializer.dumps(7)),
    bytes(MSGPackSerializer.dumps([None, 0])),
    gathered(told=b"\xc1"),
    gathered(told=bytes(5000)),
    gathered(mode=9),
    gathered(mode="0"),
    gathered(bandwidth="fast"),
    gathered(bandwidth=float("nan")),
    gathered(bandwidth=-1.0),
    gathered(bandwidth=1e12),
]


@pytest.mark.parametrize("good", [GOOD, gathered(bandwidth=100.0), gathered(bandwidth=0), gathered(mode=1)])
def test_what_every_peer_tells_may_be_told(good: bytes) -> None:
    assert gathered_error(good) == ""


@pytest.mark.parametrize("bad", BAD)
def test_what_cannot_be_used_is_left_out_with_a_reason(bad: bytes) -> None:
    assert gathered_error(bad)
    with pytest.raises(InvalidGroupError) as caught:
        check_group(peers(3), [GOOD, bad, GOOD])
    assert caught.value.teller == peers(3)[1]


def test_a_group_has_no_more_members_than_can_be_divided_among_and_nobody_twice() -> None:
    check_group(peers(MAX_GROUP), [GOOD] * MAX_GROUP)
    with pytest.raises(InvalidGroupError):
        check_group(peers(MAX_GROUP + 1), [GOOD] * (MAX_GROUP + 1))
    with pytest.raises(InvalidGroupError):
        check_group(peers(2) * 2, [GOOD] * 4)
    with pytest.raises(InvalidGroupError):
        check_group(peers(3), [GOOD] * 2)
