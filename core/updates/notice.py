"""Update notices: a version, the page that has it, and perhaps its .run file, signed by the publisher."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from core.schema import Sha256, StrictStruct
from core.security.identity import Identity, verify
from core.version import VERSION_PATTERN, is_older

MAX_NOTICE_BYTES = 8 * 1024
_MAX_PORTABLE_BYTES = 1_000_000_000
_SIGNING_PREFIX = b"workerbee update notice 1:"
_ADDRESS = r"^https://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?(/[!-~]{0,500})?\Z"

Version = Annotated[str, Meta(pattern=VERSION_PATTERN)]
Address = Annotated[str, Meta(pattern=_ADDRESS)]


class RefusedNoticeError(Exception):
    """A file is not a notice of this publisher; the message says why, for the log."""


class PortableFile(StrictStruct, kw_only=True, frozen=True):
    """The .run file of a version, which installs it for one person; `workerbee update` runs it."""

    address: Address
    size_bytes: Annotated[int, Meta(ge=1, le=_MAX_PORTABLE_BYTES)]
    sha256: Sha256


class UpdateNotice(StrictStruct, kw_only=True, frozen=True, omit_defaults=True):
    """A version that was published, and the ``page`` where a person finds it; Workerbee reads nothing there.

    ``portable`` is its .run file, where the publisher offers one.
    """

    version: Version
    page: Address
    portable: PortableFile | None = None

    def is_newer_than(self, version: str) -> bool:
        """Whether the version is newer than another; false where that is not a version, as in a checkout."""
        return is_older(version, self.version)


class SignedNotice(StrictStruct, frozen=True):
    """A notice as it lies on a server: the exact text that was signed, and its signature in base64."""

    notice: str
    signature: bytes

    @classmethod
    def sign(cls, notice: UpdateNotice, publisher: Identity) -> SignedNotice:
        """Sign a notice in the form in which it will be read."""
        encoded = msgspec.json.encode(notice)
        _decoded(encoded)
        return cls(encoded.decode(), publisher.sign(_SIGNING_PREFIX + encoded))

    def to_bytes(self) -> bytes:
        """The file that is put onto a server."""
        return msgspec.json.format(msgspec.json.encode(self)) + b"\n"


def notice_in(encoded: bytes, publisher: str) -> UpdateNotice:
    """The notice in a file, verified before it is parsed; raises RefusedNoticeError."""
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
