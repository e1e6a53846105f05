"""Who a peer is: Ed25519 keys, the libp2p peer ids that contain them, sign and verify.

``cryptography`` is imported where it is used, so that reading an address costs the client nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import ErrorKind, UserError
from core.files.atomic import create_atomically, storage_problem

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_ED25519 = bytes.fromhex("002408011220")  # identity multihash of a protobuf: key type 1, 32 bytes
_SECP256K1 = bytes.fromhex("002508021221")
_SHA256 = bytes.fromhex("1220")  # the hash of a key that is too long to be its own name, such as RSA
_LENGTHS = {_ED25519: 38, _SECP256K1: 39, _SHA256: 34}
_CHARACTERS = {"12D3KooW": 52, "16Uiu2HA": 53, "Qm": 46}
_MAX_CHARACTERS = 64
_PRIVATE_KEY = bytes.fromhex("08011240")  # libp2p's protobuf: key type 1, 64 bytes
_MAX_KEY_FILE_BYTES = 8192
_RSA_BITS = 2048


def encode_base58(data: bytes) -> str:
    """Base58 with Bitcoin's alphabet, as libp2p writes peer ids."""
    number, digits = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        digits = _ALPHABET[digit] + digits
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + digits


def decode_base58(text: str) -> bytes:
    """The bytes that ``text`` stands for; raises ValueError that names a character of another alphabet."""
    number = 0
    for character in text:
        digit = _ALPHABET.find(character)
        if digit < 0:
            raise ValueError(f"contains “{character}”, which no peer id contains")
        number = number * 58 + digit
    zeros = len(text) - len(text.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def decode_peer_id(peer_id: str) -> bytes:
    """The multihash in a peer id; raises ValueError that ends a sentence begun with "the peer id"."""
    if len(peer_id) > _MAX_CHARACTERS:
        raise ValueError(f"is {len(peer_id)} characters long, and none has more than {_MAX_CHARACTERS}")
    multihash = decode_base58(peer_id)
    for prefix, characters in _CHARACTERS.items():
        if peer_id.startswith(prefix) and len(peer_id) != characters:
            raise ValueError(f"is {len(peer_id)} characters long, and one that begins with {prefix} has {characters}")
    if not any(multihash.startswith(kind) and len(multihash) == size for kind, size in _LENGTHS.items()):
        raise ValueError("is damaged, or no peer id")
    return multihash


def public_key_of(peer_id: str) -> bytes | None:
    """The 32 bytes of the Ed25519 key that a ``12D3KooW…`` peer id contains; None for any other text."""
    try:
        multihash = decode_peer_id(peer_id)
    except ValueError:
        return None
    return multihash[len(_ED25519) :] if multihash.startswith(_ED25519) else None


def peer_id_of(public_key: bytes) -> str:
    """The peer id of a 32-byte Ed25519 public key."""
    return encode_base58(_ED25519 + public_key)


def verify(peer_id: str, message: bytes, signature: bytes) -> bool:
    """Whether the holder of that peer id signed the message; never for an id that contains no key."""
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
        """A new one, from the system's random numbers."""
        return cls._from_seed(os.urandom(32))

    @classmethod
    def load_or_create(cls, path: Path) -> Identity:
        """The identity in that file (which p2pd reads too), made if there is no such file.

        Raises ClientError for a damaged file, which is never overwritten, and for a folder that refuses it.
        """
        stored = _load_or_create(path, lambda: cls.create().to_bytes())
        identity = cls._from_seed(stored[len(_PRIVATE_KEY) :][:32].ljust(32))
        if identity.to_bytes() != stored:
            raise _damaged(path, "is no Ed25519 key as libp2p writes them")
        return identity

    @classmethod
    def _from_seed(cls, seed: bytes) -> Identity:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(seed, Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw())

    def to_bytes(self) -> bytes:
        """The private key as libp2p marshals it: what p2pd expects in ``identity_path``."""
        return _PRIVATE_KEY + self._seed + self.public_key

    @property
    def peer_id(self) -> str:
        """What others call this peer: ``12D3KooW…``."""
        return peer_id_of(self.public_key)

    @property
    def seed_number(self) -> int:
        """A number below 2**63 that is this peer's own: the order of its data begins with it. No secret."""
        import hashlib  # OpenSSL comes with it, which the window's process need not hold

        digest = hashlib.sha256(b"workerbee data order:" + self.public_key).digest()
        return int.from_bytes(digest[:8], "big") >> 1

    def sign(self, message: bytes) -> bytes:
        """The 64 bytes that prove to ``verify`` that this peer said it."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self._seed).sign(message)


def load_or_create_progress_key(path: Path) -> bytes:
    """The RSA key with which hivemind signs this peer's progress, so that a restart replaces its old record.

    DER in the traditional OpenSSL form, as ``hivemind.utils.crypto.RSAPrivateKey.to_bytes()`` gives it and
    ``__setstate__`` takes it. Raises ClientError as ``Identity.load_or_create`` does.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_der_private_key

    stored = _load_or_create(path, _new_progress_key)
    try:
        key = load_der_private_key(stored, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise _damaged(path, "is no RSA key") from error
    if not isinstance(key, RSAPrivateKey) or key.key_size != _RSA_BITS:
        raise _damaged(path, f"is no RSA key of {_RSA_BITS} bits")
    return stored


def _new_progress_key() -> bytes:
    from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = generate_private_key(public_exponent=65537, key_size=_RSA_BITS)
    return key.private_bytes(Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption())


def _load_or_create(path: Path, make: Callable[[], bytes]) -> bytes:
    try:
        if not os.path.lexists(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            create_atomically(path, make())
    except OSError as error:
        if not os.path.lexists(path):  # else another process was quicker, and its key counts
            raise storage_problem(error, path) from error
    try:
        return _read_secret(path)
    except OSError as error:
        raise _damaged(path, f"cannot be read: {error.strerror}") from error


def _read_secret(path: Path) -> bytes:
    """What the file holds, which from now on only its owner can read."""
    with path.open("rb") as file:
        if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
            os.fchmod(file.fileno(), 0o600)
        return file.read(_MAX_KEY_FILE_BYTES)


def _damaged(path: Path, why: str) -> UserError:
    return UserError(ErrorKind.IDENTITY_DAMAGED, f"{path} {why}.")
