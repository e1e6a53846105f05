"""What a start of the program was given, and how a second start delivers it to the first."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import Meta

from core.control.messages import ControlCommand
from core.schema import StrictStruct

MINIMISED = "--minimised"
_TOKENS = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")


class LaunchRequest(StrictStruct, kw_only=True, frozen=True, tag_field="kind", tag="open"):
    """What a start of the program was given: a link, a run file, or nothing.

    ``activation`` is the desktop's permission to raise a window, which the first window needs under Wayland.
    """

    link: Annotated[str, Meta(max_length=64 * 1024)] = ""
    run_file: Annotated[str, Meta(max_length=4096)] = ""
    is_minimised: bool = False
    activation: Annotated[str, Meta(max_length=4096)] = ""

    @classmethod
    def read(cls, words: Sequence[str], environment: Mapping[str, str] = os.environ) -> LaunchRequest | None:
        """What these words of a command line mean to the window; ``None`` if they are for somebody else."""
        rest = [word for word in words if word != MINIMISED]
        activation = next((environment[name] for name in _TOKENS if environment.get(name)), "")[:4096]
        empty = cls(is_minimised=MINIMISED in words, activation=activation)
        if not rest:
            return empty
        if len(rest) > 1 or rest[0].startswith("-"):
            return None
        if rest[0].lower().startswith("workerbee:"):
            return msgspec.structs.replace(empty, link=rest[0][: 64 * 1024])
        path = run_file_path(rest[0])
        return msgspec.structs.replace(empty, run_file=str(path)) if path else None


def run_file_path(text: str) -> Path | None:
    """The path of the run file that a path or a ``file:`` URL means; ``None`` if it is neither."""
    if not text.lower().endswith(".toml") or len(text) > 4000:
        return None
    parts = urlsplit(text) if text.startswith("file:") else None
    return Path(unquote(parts.path) if parts else text).absolute()


def encode(request: LaunchRequest) -> bytes:
    """A request as one line of JSON."""
    return msgspec.json.encode(request) + b"\n"


def decode(line: bytes) -> LaunchRequest | ControlCommand:
    """The request or the command on a line of JSON; raises ``msgspec.MsgspecError`` for anything else."""
    try:
        return msgspec.json.decode(line, type=LaunchRequest | ControlCommand)
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(f"it is not UTF-8: {error}") from error
