"""Who a peer is: an Ed25519 key pair, and signatures that its peer id verifies.

``cryptography`` is imported where it is used, so that reading an address costs the client nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from core.localizable import localized
from core.security.key_file import damaged_key, load_or_create_key
from core.security.peer_id import peer_id_of, public_key_of

_PRIVATE_KEY = bytes.fromhex("08011240")  # libp2p's protobuf: key type 1, 64 bytes


def verify(peer_id: str, message: bytes, signature: bytes) -> bool:
    """Whether the holder of that peer id signed the message; false for an id that contains no key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    public_key = public_key_of(peer_id)
    if public_key is None:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@dataclass(frozen=True)
class Identity:
    """A peer's own key pair, as 32 secret and 32 public bytes."""

    _seed: bytes = field(repr=False)
    public_key: bytes

    @classmethod
    def create(cls) -> Identity:
        """A new key pair from the system's random numbers."""
        return cls.from_seed(os.urandom(32))

    @classmethod
    def load_or_create(cls, path: Path) -> Identity:
        """The identity in that file (which p2pd reads too), made if there is no such file.

        Raises UserError for a damaged file, which is never overwritten, and for a folder that refuses it.
        """
        stored = load_or_create_key(path, lambda: cls.create().to_bytes())
        identity = cls.from_seed(stored[len(_PRIVATE_KEY) :][:32].ljust(32))
        if identity.to_bytes() != stored:
            raise damaged_key(localized("%1 is not an Ed25519 key as libp2p writes them.", path))
        return identity

    @classmethod
    def from_seed(cls, seed: bytes) -> Identity:
        """The key pair whose private key (RFC 8032) is these 32 secret bytes."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(seed, Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw())

    def to_bytes(self) -> bytes:
        """The private key as libp2p marshals it: what p2pd expects in ``identity_path``."""
        return _PRIVATE_KEY + self._seed + self.public_key

    @property
    def peer_id(self) -> str:
        """The libp2p peer id of the public key: ``12D3KooW…``."""
        return peer_id_of(self.public_key)

    @property
    def seed_number(self) -> int:
        """A number below 2**63 derived from the public key, for the order of this peer's data; no secret."""
        import hashlib  # OpenSSL comes with it, which the window's process need not hold

        digest = hashlib.sha256(b"workerbee data order:" + self.public_key).digest()
        return int.from_bytes(digest[:8], "big") >> 1

    def sign(self, message: bytes) -> bytes:
        """The signature of a message, 64 bytes, which ``verify`` accepts for this peer id."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self._seed).sign(message)
