"""libp2p peer ids: base58 texts of multihashes, some of which contain the peer's whole public key.

https://github.com/libp2p/specs/blob/master/peer-ids/peer-ids.md; a multihash begins with the code of its hash and its
length (https://multiformats.io/multihash). Keys of at most 42 bytes are not hashed but contained ("identity", code 0).
"""

from __future__ import annotations

from core.localizable import localized

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
# identity multihash (00) of so many bytes (24 = 36) of a protobuf: field 1, the key's type; field 2, its length
_ED25519 = bytes.fromhex("002408011220")  # key type 1, 32 bytes
_SECP256K1 = bytes.fromhex("002508021221")  # key type 2, 33 bytes
_SHA256 = bytes.fromhex("1220")  # the hash of a key that is too long to be its own name, such as RSA
_LENGTHS = {_ED25519: 38, _SECP256K1: 39, _SHA256: 34}
_CHARACTERS = {"12D3KooW": 52, "16Uiu2HA": 53, "Qm": 46}
_MAX_CHARACTERS = 64


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
            raise ValueError(localized("contains “%1”, which no peer id contains", character))
        number = number * 58 + digit
    zeros = len(text) - len(text.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def decode_peer_id(peer_id: str) -> bytes:
    """The multihash in a peer id; raises ValueError that ends a sentence begun with "the peer id"."""
    if len(peer_id) > _MAX_CHARACTERS:
        raise ValueError(localized("is %1 characters long, and none has more than %2", len(peer_id), _MAX_CHARACTERS))
    multihash = decode_base58(peer_id)
    for prefix, characters in _CHARACTERS.items():
        if peer_id.startswith(prefix) and len(peer_id) != characters:
            raise ValueError(
                localized("is %1 characters long, and one that begins with %2 has %3", len(peer_id), prefix, characters)
            )
    if not any(multihash.startswith(kind) and len(multihash) == size for kind, size in _LENGTHS.items()):
        raise ValueError(localized("is damaged, or no peer id"))
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
