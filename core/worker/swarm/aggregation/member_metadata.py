"""What each member of a group tells it before an exchange, as `DecentralizedAverager.step` packs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hivemind.utils import MSGPackSerializer

MAX_BANDWIDTH = 1e6  # Mbit/s


@dataclass(frozen=True)
class MemberMetadata:
    """What one member has told its group, of which nothing is checked: anybody may send anything.

    ``bandwidth`` is in Mbit/s, or ``None`` where it is not stated; ``mode`` is the value of an `AveragingMode`;
    ``gather`` is that argument of ``step``, still packed, and ``told`` the same unpacked. A plain hivemind peer leaves
    that out, so that ``told`` is ``None``.
    """

    bandwidth: Any
    mode: Any
    gather: bytes
    told: Any

    @classmethod
    def unpacked(cls, gathered: bytes) -> MemberMetadata:
        """That of a member which has told these bytes; raises whatever Exception reading them does."""
        bandwidth, mode, gather = MSGPackSerializer.loads(gathered)
        return cls(bandwidth, mode, gather, MSGPackSerializer.loads(gather))

    def packed(self) -> bytes:
        """The same in bytes, as ``step`` packs it."""
        return bytes(MSGPackSerializer.dumps([self.bandwidth, self.mode, self.gather]))


def is_bandwidth(stated: Any) -> bool:
    """Whether that is a number of Mbit/s that a line may have; 0, of who averages nothing, is one."""
    return type(stated) in (int, float) and 0 <= stated <= MAX_BANDWIDTH
