"""What the peers of a run hold in its DHT under their own peer ids, one kind of values under each key.

Each value is signed by its peer, which the reader verifies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hivemind.dht import DHT
from hivemind.dht.validation import DHTRecord
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.dht.reader import read_dictionary

_MAX_SUBKEY_BYTES = 64  # of a packed peer id
_PACKING_BYTES = 16  # around what the DHT packs once more


def dht_key(run_id: str, kind: str) -> str:
    """The DHT key of that kind of values of that run."""
    return f"{run_id}_{kind}"


def values_of(dht: DHT, key: str, signers: Sequence[str], max_bytes: int) -> Iterator[tuple[str, bytes]]:
    """All values of so many bytes at the most that were stored there under those ids, with the id; unverified."""
    subkeys = {MSGPackSerializer.dumps(signer): signer for signer in signers}
    for record in read_dictionary(dht, key, signers):
        if record.subkey in subkeys and (value := stored_bytes(record.value, max_bytes)) is not None:
            yield subkeys[record.subkey], value


def peer_value(record: DHTRecord, max_bytes: int) -> tuple[str, bytes] | None:
    """The peer id under which a record stands, and its value of so many bytes at the most; unverified.

    ``None`` for anything else that strangers may have stored.
    """
    encoded = stored_bytes(record.value, max_bytes)
    if len(record.subkey) > _MAX_SUBKEY_BYTES or encoded is None:
        return None
    try:
        holder = MSGPackSerializer.loads(record.subkey)
    except Exception:  # strangers may have packed anything
        return None
    return (holder, encoded) if isinstance(holder, str) else None


def stored_bytes(packed: bytes, max_bytes: int) -> bytes | None:
    """The bytes that a value of the DHT packs, of which there are so many at the most; ``None`` for anything else."""
    if len(packed) > max_bytes + _PACKING_BYTES:
        return None
    try:
        value = MSGPackSerializer.loads(packed)
    except Exception:  # strangers may have packed anything
        return None
    return value if isinstance(value, bytes) else None
