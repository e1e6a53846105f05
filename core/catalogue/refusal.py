"""Why a catalogue is not accepted: a reason of a closed set, which front ends put into words of their language."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from core.localizable import Detail, LocalizedText
from core.schema import StrictStruct

RefusalReason = Literal[
    "no_address",
    "unreachable",
    "too_large",
    "unsigned",
    "wrong_signature",
    "unreadable",
    "too_new",
    "too_many_runs",
    "expired",
    "other_key",
    "older",
    "no_engine",
    "full",
]
"""The reasons:

- ``no_address``: the text is neither an https address nor the path of a file;
- ``unreachable``: nothing was read from there;
- ``too_large``, ``too_many_runs``: more bytes or runs than a catalogue may have;
- ``unsigned``, ``wrong_signature``: nobody has signed these bytes, or other bytes were signed;
- ``unreadable``: the signed text is no catalogue;
- ``too_new``: it has a format of a later version;
- ``expired``: its time is over;
- ``other_key``: it is signed with another key than before; ``older``: a newer one was seen before;
- ``no_engine``: signatures cannot be verified before the training engine is made;
- ``full``: so many catalogues are known that none is added.
"""


class Refusal(StrictStruct, frozen=True, tag=True):
    """A reason, and what is to be said with it, such as the answer of a server; ``detail`` may be a stranger's text."""

    reason: RefusalReason
    detail: LocalizedText | Annotated[str, Meta(max_length=1000)] = ""


class RefusedCatalogueError(Exception):
    """A file is not a catalogue that may be shown; ``refusal`` says why."""

    def __init__(self, reason: RefusalReason, detail: Detail = "") -> None:
        self.refusal = Refusal(reason, detail[:1000] if isinstance(detail, str) else detail)
        super().__init__(f"{reason}: {detail}")
