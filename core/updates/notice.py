"""What a publisher announces, and signs: a version, and the page that has it."""

from __future__ import annotations

import re
from typing import Annotated

import msgspec
from msgspec import Meta

from core.schema import StrictStruct
from core.security.identity import Identity, verify

MAX_NOTICE_BYTES = 8 * 1024
_SIGNING_PREFIX = b"workerbee update notice 1:"
_VERSION = r"^[0-9]{1,6}(\.[0-9]{1,6}){1,3}\Z"
_PAGE = r"^https://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?(/[!-~]{0,500})?\Z"

Version = Annotated[str, Meta(pattern=_VERSION)]


class RefusedNoticeError(Exception):
    """What came is no notice of this publisher; says why, for the log."""


class UpdateNotice(StrictStruct, kw_only=True, frozen=True):
    """``page`` is where a person finds that version; nothing there is read by Workerbee."""

    version: Version
    page: Annotated[str, Meta(pattern=_PAGE)]

    def is_newer_than(self, version: str) -> bool:
        """False where that is no version, as in a folder that nobody has installed."""
        return bool(re.match(_VERSION, version)) and _numbers(self.version) > _numbers(version)


class SignedNotice(StrictStruct, frozen=True):
    """As it lies on a server: the exact text that was signed, and its signature in base64."""

    notice: str
    signature: bytes

    @classmethod
    def sign(cls, notice: UpdateNotice, publisher: Identity) -> SignedNotice:
        """Sign it as it will be read."""
        encoded = msgspec.json.encode(notice)
        _decoded(encoded)
        return cls(encoded.decode(), publisher.sign(_SIGNING_PREFIX + encoded))

    def to_bytes(self) -> bytes:
        """The file to be put onto a server."""
        return msgspec.json.format(msgspec.json.encode(self)) + b"\n"


def notice_in(encoded: bytes, publisher: str) -> UpdateNotice:
    """Verify first, parse second; raises RefusedNoticeError. ``publisher`` is a peer id that holds a key."""
    if len(encoded) > MAX_NOTICE_BYTES:
        raise RefusedNoticeError(f"it has more than {MAX_NOTICE_BYTES} bytes")
    try:
        signed = msgspec.json.decode(encoded, type=SignedNotice)
        signed_bytes = signed.notice.encode()
        if not verify(publisher, _SIGNING_PREFIX + signed_bytes, signed.signature):
            raise RefusedNoticeError("its signature is not the publisher's")
        return _decoded(signed_bytes)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise RefusedNoticeError(f"it cannot be read: {error}") from error


def _decoded(encoded: bytes) -> UpdateNotice:
    return msgspec.json.decode(encoded, type=UpdateNotice)


def _numbers(version: str) -> tuple[int, ...]:
    """1.0 and 1.0.0 are the same."""
    numbers = [int(part) for part in version.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
