"""The codec of commands and events: one JSON object a line, UTF-8."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from core.protocol.commands import AnyCommand
from core.protocol.events import AnyEvent
from core.run.multiaddr import Multiaddr
from core.schema import StrictStruct

MAX_LINE_BYTES = 1024 * 1024

_Decoded = TypeVar("_Decoded")


def read_multiaddr(kind: type, text: Any) -> Multiaddr:
    """The decoding of Multiaddr, the one type that msgspec does not know: it crosses the pipe as a text."""
    if kind is not Multiaddr or not isinstance(text, str):
        raise ValueError("a multiaddr is a text")
    return Multiaddr(text)


_encoder = msgspec.json.Encoder(enc_hook=str)
_command_decoder: msgspec.json.Decoder[AnyCommand] = msgspec.json.Decoder(AnyCommand, dec_hook=read_multiaddr)
_event_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent, dec_hook=read_multiaddr)


def encode(message: StrictStruct | Mapping[str, object]) -> bytes:
    """Return the message as one line, its end included; characters that cannot be UTF-8 become question marks."""
    try:
        return _encoder.encode(message) + b"\n"
    except UnicodeEncodeError:
        return _encoder.encode(_encodable(msgspec.to_builtins(message, enc_hook=str))) + b"\n"


def _encodable(plain: Any) -> Any:
    """The same with a question mark for whatever cannot be UTF-8."""
    if isinstance(plain, str):
        return plain.encode("utf-8", "replace").decode("utf-8")
    if isinstance(plain, dict):
        return {name: _encodable(value) for name, value in plain.items()}
    return [_encodable(value) for value in plain] if isinstance(plain, list | tuple) else plain


def decode_command(line: bytes) -> AnyCommand:
    """The command on a line; raises ``msgspec.MsgspecError`` for anything else."""
    return _decode(_command_decoder, line)


def decode_event(line: bytes) -> AnyEvent:
    """The event on a line; raises ``msgspec.MsgspecError`` for anything else."""
    return _decode(_event_decoder, line)


def _decode(decoder: msgspec.json.Decoder[_Decoded], line: bytes) -> _Decoded:
    try:
        return decoder.decode(line)
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(f"it is not UTF-8: {error}") from error
    except RecursionError as error:
        raise msgspec.DecodeError("its brackets are nested too deeply") from error
