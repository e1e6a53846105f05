"""What the peers of a run hold in its DHT under their own peer ids, one kind of values under each key.

Each value is signed by its peer, which the reader verifies, and whoever stores it for others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from hivemind.dht import DHT, DHTNode
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import DHTRecord, RecordValidatorBase
from hivemind.utils import MSGPackSerializer

from core.run.signed_record import CLOCK_SECONDS
from core.worker.swarm.dht.publisher import LIFETIME_SECONDS
from core.worker.swarm.dht.reader import Ask, read_dictionary
from core.worker.swarm.patches.monotonic_clock import steady_time

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

    ``order_of`` tells of a peer id and the value under it by what that one is later than others of the same peer, and
    ``None`` where it is not valid; both it and the validator go to the DHT's process. Values live for
    ``lifetime_seconds`` at the most, and as much longer as clocks may differ.
    """

    def __init__(
        self,
        key: str,
        max_bytes: int,
        order_of: Callable[[str, bytes], float | None],
        lifetime_seconds: float = LIFETIME_SECONDS,
    ) -> None:
        self.key, self._max_bytes, self._order_of = key, max_bytes, order_of
        self._longest_seconds = lifetime_seconds + CLOCK_SECONDS
        self._key_id = DHTID.generate(source=key).to_bytes()

    def validate(self, record: DHTRecord) -> bool:
        """Whether the record may be stored; what records under other keys say is none of our business."""
        if record.key != self._key_id:
            return True
        if record.expiration_time > steady_time() + self._longest_seconds:
            return False
        found = _peer_value(record, self._max_bytes)
        return found is not None and self._order_of(*found) is not None

    def order(self, subkey: object, packed: bytes) -> float | None:
        """By what the value under a subkey is later than others there; ``None`` where it is not valid."""
        encoded = _stored_bytes(packed, self._max_bytes)
        return self._order_of(subkey, encoded) if isinstance(subkey, str) and encoded is not None else None

    def merge_with(self, other: RecordValidatorBase) -> bool:
        """Whether the other one is for the same values: one of them is enough."""
        return isinstance(other, PeerValueValidator) and other.key == self.key


def guard_values(dht: DHT, validator: PeerValueValidator) -> None:
    """Refuse to store what is not valid, and forget what is there of that; call it before anything is read.

    WORKAROUND H87: hivemind's validators cannot tell which of two valid records is the later: whatever expires last is,
    also a record of a signer's that somebody else has kept and stores again.
    """
    dht.add_validators([validator])
    dht.run_coroutine(partial(_guard, validator=validator))


async def _guard(_dht: DHT, node: DHTNode, validator: PeerValueValidator) -> None:
    storage, key_id = node.protocol.storage, DHTID.generate(source=validator.key)
    storage.orders[key_id] = validator.order
    item = storage.get(key_id)
    for subkey, held in [] if item is None else list(item.value.items()):
        if not validator.validate(DHTRecord(key_id.to_bytes(), MSGPackSerializer.dumps(subkey), *held)):
            del item.value[subkey]


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
