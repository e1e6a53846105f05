"""The base of commands and events, the version of the protocol, and the bounded texts they share."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from core.schema import StrictStruct
from core.security.sanitize import MAX_DEVICE_CHARACTERS, MAX_NAME_CHARACTERS, MAX_VERSION_CHARACTERS

PROTOCOL_VERSION = 3

Name = Annotated[str, Meta(max_length=MAX_NAME_CHARACTERS)]
DeviceName = Annotated[str, Meta(max_length=MAX_DEVICE_CHARACTERS)]
PeerVersion = Annotated[str, Meta(max_length=MAX_VERSION_CHARACTERS)]


class Command(StrictStruct, tag_field="command", kw_only=True, frozen=True):
    """The base of what a client asks of its worker; its tag is the field ``command``."""


class Event(StrictStruct, tag_field="event", kw_only=True, frozen=True):
    """The base of what has happened in the worker, or to it; its tag is the field ``event``."""
