"""What the peers of a run hold in its DHT under their own peer ids, one kind of values under each key.

Each value is signed by its peer, which the reader verifies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from hivemind.dht import DHT
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import DHTRecord, RecordValidatorBase
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.dht.reader import Ask, forget, read_dictionary

_MAX_SUBKEY_BYTES = 64  # of a packed peer id
_PACKING_BYTES = 16  # around what the DHT packs once more


def dht_key(run_id: str, kind: str) -> str:
    """The DHT key of that kind of values of that run."""
    return f"{run_id}_{kind}"


def values_of(
    dht: DHT, key: str, signers: Sequence[str], max_bytes: int, *, ask: Ask = "all"
) -> Iterator[tuple[str, bytes]]:
    """All values of so many bytes at the most that were stored there under those ids, with the id; unverified."""
    subkeys = {MSGPackSerializer.dumps(signer): signer for signer in signers}
    for record in read_dictionary(dht, key, signers, ask=ask):
        if record.subkey in subkeys and (value := _stored_bytes(record.value, max_bytes)) is not None:
            yield subkeys[record.subkey], value


def peer_values(dht: DHT, key: str, max_bytes: int, also_ask: Iterable[str] = ()) -> Iterator[tuple[str, bytes]]:
    """All values of so many bytes at the most there, with the peer ids under which they stand; unverified.

    ``also_ask`` are peer ids.
    """
    for record in read_dictionary(dht, key, also_ask):
        if (found := _peer_value(record, max_bytes)) is not None:
            yield found


class PeerValueValidator(RecordValidatorBase):
    """Keeps values that are not valid out of this peer's part of the DHT, so that they do not take the others' room.

    ``is_valid`` is asked of a peer id and the value under it; both it and the validator go to the DHT's process.
    """

    def __init__(self, key: str, max_bytes: int, is_valid: Callable[[str, bytes], bool]) -> None:
        self.key, self._max_bytes, self._is_valid = key, max_bytes, is_valid
        self._key_id = DHTID.generate(source=key).to_bytes()

    def validate(self, record: DHTRecord) -> bool:
        """Whether the record may be stored; what records under other keys say is none of our business."""
        if record.key != self._key_id:
            return True
        found = _peer_value(record, self._max_bytes)
        return found is not None and self._is_valid(*found)

    def merge_with(self, other: RecordValidatorBase) -> bool:
        """Whether the other one is for the same values: one of them is enough."""
        return isinstance(other, PeerValueValidator) and other.key == self.key


def guard_values(dht: DHT, validator: PeerValueValidator) -> None:
    """Refuse to store what is not valid, and forget what is there; call it before anything is read."""
    dht.add_validators([validator])
    forget(dht, validator.key)


def _peer_value(record: DHTRecord, max_bytes: int) -> tuple[str, bytes] | None:
    """The peer id under which a record stands, and its value of so many bytes at the most; unverified.

    ``None`` for anything else that strangers may have stored.
    """
    encoded = _stored_bytes(record.value, max_bytes)
    if len(record.subkey) > _MAX_SUBKEY_BYTES or encoded is None:
        return None
    try:
        holder = MSGPackSerializer.loads(record.subkey)
    except Exception:  # strangers may have packed anything
        return None
    return (holder, encoded) if isinstance(holder, str) else None


def _stored_bytes(packed: bytes, max_bytes: int) -> bytes | None:
    """The bytes that a value of the DHT packs, of which there are so many at the most; ``None`` for anything else."""
    if len(packed) > max_bytes + _PACKING_BYTES:
        return None
    try:
        value = MSGPackSerializer.loads(packed)
    except Exception:  # strangers may have packed anything
        return None
    return value if isinstance(value, bytes) else None
