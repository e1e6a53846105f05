"""What everything is that crosses the pipe between client and worker; `core.messages` has all there is."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from core.safe_text import MAX_DEVICE_CHARACTERS, MAX_NAME_CHARACTERS

Texts = Annotated[tuple[str, ...], Meta(max_length=64)]
Name = Annotated[str, Meta(max_length=MAX_NAME_CHARACTERS)]
DeviceName = Annotated[str, Meta(max_length=MAX_DEVICE_CHARACTERS)]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
MicroBatch = Annotated[int, Meta(ge=1, le=1_000_000)]
"""Samples that are computed at a time."""


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Anything that crosses the pipe."""


class Command(Message, tag_field="command", kw_only=True, frozen=True):
    """What the client asks of the worker."""


class Event(Message, tag_field="event", kw_only=True, frozen=True):
    """What happened in the worker, or to it."""
