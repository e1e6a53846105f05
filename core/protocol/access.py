"""Whether a run takes this computer, as the worker tells its client."""

from __future__ import annotations

from typing import Literal

from core.schema import StrictStruct


class RunAccess(StrictStruct, kw_only=True, frozen=True):
    """Whether a run takes this computer: an ``open`` one does; to a closed one it is ``invited``, or why it is not.

    ``until`` is when the invitation ends or has ended, in seconds since 1970; ``key`` is the peer id that a ticket
    has to be made for.
    """

    standing: Literal["open", "invited", "none", "unreadable", "other_run", "other_key", "forged", "ended"] = "open"
    until: float | None = None
    key: str = ""
