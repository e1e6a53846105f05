"""A manifest with its organiser's signature, as the swarm's DHT holds it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from core.errors import ErrorKind, UserError
from core.files.json_file import read_bounded
from core.localizable import localized
from core.run.manifest import MAX_MANIFEST_BYTES, RunManifest, decode_manifest
from core.schema import UNREADABLE, StrictStruct
from core.security.identity import Identity, verify

_SIGNING_PREFIX = b"workerbee run manifest 1:"
MAX_RECORD_BYTES = MAX_MANIFEST_BYTES + 1024


class SignedManifest(StrictStruct, frozen=True):
    """The exact bytes that an organiser signed; ``organiser`` is the peer id that holds the public key."""

    organiser: str
    manifest: bytes
    signature: bytes

    @classmethod
    def sign(cls, manifest: RunManifest, identity: Identity) -> SignedManifest:
        """Sign a manifest in the form in which it will be read."""
        encoded = msgspec.json.encode(manifest)
        decode_manifest(encoded)
        return cls(identity.peer_id, encoded, identity.sign(_SIGNING_PREFIX + encoded))

    @classmethod
    def from_bytes(cls, encoded: bytes) -> SignedManifest:
        """The signed manifest that the DHT holds; raises UserError if it is none."""
        if len(encoded) > MAX_RECORD_BYTES:
            raise UserError(ErrorKind.MANIFEST_REFUSED, localized("Its record has %1 bytes.", len(encoded)))
        try:
            return msgspec.msgpack.decode(encoded, type=cls)
        except UNREADABLE as error:
            raise UserError(ErrorKind.MANIFEST_REFUSED, localized("%1.", error)) from error

    @classmethod
    def read(cls, path: Path) -> SignedManifest:
        """The one in that file, as `from_bytes`; raises OSError, and ValueError for a file that is too long."""
        return cls.from_bytes(read_bounded(path, MAX_RECORD_BYTES))

    def to_bytes(self) -> bytes:
        """The record that the DHT holds, as msgpack."""
        return msgspec.msgpack.encode(self)

    def is_signed(self) -> bool:
        """Whether the signature was made by the organiser."""
        return verify(self.organiser, _SIGNING_PREFIX + self.manifest, self.signature)

    def opened(self) -> RunManifest:
        """The manifest, verified before it is parsed; raises UserError for a wrong signature or a bad manifest."""
        if not self.is_signed():
            raise UserError(ErrorKind.MANIFEST_REFUSED, localized("Its signature is wrong."))
        return decode_manifest(self.manifest)
