"""What an organiser and its keepers hold in the DHT under their own peer ids; signed, which the reader verifies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hivemind.dht import DHT
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.dht.reader import read_dictionary

_PACKING_BYTES = 16  # around what the DHT packs once more


def values_of(dht: DHT, key: str, signers: Sequence[str], max_bytes: int) -> Iterator[tuple[str, bytes]]:
    """All values of so many bytes at the most that were stored there under those ids, with the id; unverified."""
    subkeys = {MSGPackSerializer.dumps(signer): signer for signer in signers}
    for record in read_dictionary(dht, key, signers):
        if record.subkey in subkeys and (value := stored_bytes(record.value, max_bytes)) is not None:
            yield subkeys[record.subkey], value


def stored_bytes(packed: bytes, max_bytes: int) -> bytes | None:
    """The bytes that a value of the DHT packs, of which there are so many at the most; ``None`` for anything else."""
    if len(packed) > max_bytes + _PACKING_BYTES:
        return None
    try:
        value = MSGPackSerializer.loads(packed)
    except Exception:  # strangers may have packed anything
        return None
    return value if isinstance(value, bytes) else None
