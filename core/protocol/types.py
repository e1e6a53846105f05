"""The base of commands and events, the version of the protocol, and the bounded texts they share."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from core.schema import StrictStruct
from core.security.sanitize import MAX_DEVICE_CHARACTERS, MAX_NAME_CHARACTERS, MAX_VERSION_CHARACTERS

PROTOCOL_VERSION = 3

Name = Annotated[str, Meta(max_length=MAX_NAME_CHARACTERS)]
DeviceName = Annotated[str, Meta(max_length=MAX_DEVICE_CHARACTERS)]
Country = Annotated[str, Meta(pattern=r"^([A-Z]{2})?\Z")]
"""Two letters as in ISO 3166-1, or nothing."""
PeerVersion = Annotated[str, Meta(max_length=MAX_VERSION_CHARACTERS)]


class Command(StrictStruct, tag_field="command", kw_only=True, frozen=True):
    """The base of what a client asks of its worker; its tag is the field ``command``."""


class Disclosure(StrictStruct, kw_only=True, frozen=True, omit_defaults=True):
    """What a volunteer tells of themselves beyond name and device: nothing, unless they have chosen to.

    ``may_be_named`` agrees that model cards of a run that they help call them by their name.
    """

    may_be_named: bool = False
    country: Country = ""


NOTHING_DISCLOSED = Disclosure()


class Event(StrictStruct, tag_field="event", kw_only=True, frozen=True):
    """The base of what has happened in the worker, or to it; its tag is the field ``event``."""
