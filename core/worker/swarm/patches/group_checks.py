"""What the members of a group tell it, and how many there may be; what cannot be read would end everybody's round."""

from __future__ import annotations

from collections.abc import Sequence

from hivemind.averaging.allreduce import AveragingMode
from hivemind.averaging.matchmaking import MatchmakingException
from hivemind.p2p import PeerID

from core.worker.swarm.aggregation.member_metadata import MemberMetadata, is_bandwidth

MAX_GROUP = 128  # peers; dividing the work among 300 takes 2 s, and among 1,000 it takes 22 s and 500 MiB
MAX_GATHERED_BYTES = 4096  # of one member
_MODES = frozenset(mode.value for mode in AveragingMode)


class InvalidGroupError(MatchmakingException):
    """A leader has begun a group that cannot average anything; ``teller`` is the first who has told it no sense."""

    def __init__(self, why: str, teller: PeerID | None = None) -> None:
        super().__init__(why)
        self.teller = teller


def gathered_error(gathered: bytes) -> str:
    """What is wrong with what a member tells its group, in words; empty where nothing is.

    hivemind unpacks that of all members at once when the exchange begins; where that fails, nobody averages anything.
    """
    if len(gathered) > MAX_GATHERED_BYTES:
        return f"it has {len(gathered)} bytes"
    try:
        member = MemberMetadata.unpacked(gathered)
    except Exception as error:  # anybody may send anything
        return f"it cannot be read: {error!r}"
    if member.bandwidth is not None and not is_bandwidth(member.bandwidth):
        return "its bandwidth is none"
    return "" if type(member.mode) is int and member.mode in _MODES else "its mode is none"


def check_group(peer_ids: Sequence[PeerID], gathered: Sequence[bytes]) -> None:
    """Raises InvalidGroupError for a group that is too large, has a member twice, or one that tells no sense."""
    if len(peer_ids) > MAX_GROUP or len(peer_ids) != len(gathered) or len({*peer_ids}) != len(peer_ids):
        raise InvalidGroupError(f"a group of {len(peer_ids)} members, of whom {len(gathered)} have told something")
    for peer_id, told in zip(peer_ids, gathered, strict=True):
        if error := gathered_error(told):
            raise InvalidGroupError(f"{peer_id} is in the group, and what it tells cannot be used: {error}", peer_id)
