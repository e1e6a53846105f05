"""What another program of the same person may ask of the open window, and what the window answers."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from core.schema import StrictStruct

MAX_BYTES = 256 * 1024
MAX_PAUSE_SECONDS = 366 * 86400.0

Action = Literal["pause", "resume", "status", "quit"]


class ControlCommand(StrictStruct, kw_only=True, frozen=True, tag_field="kind", tag="control"):
    """A command to the open window; ``seconds`` is the length of a pause, ``None`` for until somebody resumes."""

    action: Action
    seconds: Annotated[float, Meta(gt=0, le=MAX_PAUSE_SECONDS)] | None = None


class ControlReply(StrictStruct, kw_only=True, frozen=True):
    """The state of the window's session after a command.

    ``is_done`` is false where the command did not suit that state, as a pause where nothing is running. ``phase`` is
    that of `core.client.session.Session`, ``sentence`` the status sentence in the window's language, ``run`` the id.
    """

    is_done: bool
    phase: Annotated[str, Meta(max_length=40)]
    sentence: Annotated[str, Meta(max_length=2000)]
    run: Annotated[str, Meta(max_length=200)] = ""


def encode(message: ControlCommand | ControlReply) -> bytes:
    """A message as one line of JSON."""
    return msgspec.json.encode(message) + b"\n"


def decode_reply(line: bytes) -> ControlReply:
    """The reply on a line of JSON; raises ``msgspec.MsgspecError`` for anything else."""
    try:
        return msgspec.json.decode(line, type=ControlReply)
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(f"it is not UTF-8: {error}") from error
