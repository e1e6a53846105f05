"""What the worker says of itself as far as the owner's limits are about it: how fast it works, and its traffic."""

from __future__ import annotations

from typing import Literal

from core.protocol.types import Event
from core.schema import Count


class Paced(Event, tag="paced", kw_only=True, frozen=True):
    """The worker works at the pace that was asked for; ``upload`` tells whether a limit is kept.

    ``refused``: this computer lets nobody pace the connections of another process, so that nothing is limited.
    """

    compute_share: float
    upload: Literal["free", "limited", "refused"] = "free"


class Traffic(Event, tag="traffic", kw_only=True, frozen=True):
    """What the line has carried since the worker began; sent while no progress tells it, and before the worker leaves.

    So it is known while files, the run's state or a long round are on their way.
    """

    sent_bytes: Count = 0
    received_bytes: Count = 0
