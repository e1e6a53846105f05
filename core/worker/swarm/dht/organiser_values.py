"""What an organiser keeps in its run's DHT under its own peer id; it is signed, which the reader verifies."""

from __future__ import annotations

from collections.abc import Iterator

from hivemind.dht import DHT
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.dht.reader import read_dictionary

_PACKING_BYTES = 16  # around what the DHT packs once more


def organiser_values(dht: DHT, key: str, organiser: str, max_bytes: int) -> Iterator[bytes]:
    """All values of so many bytes at the most that somebody has stored there under that organiser's id; unverified."""
    subkey = MSGPackSerializer.dumps(organiser)
    for record in read_dictionary(dht, key, (organiser,)):
        if record.subkey == subkey and len(record.value) <= max_bytes + _PACKING_BYTES:
            try:
                packed = MSGPackSerializer.loads(record.value)
            except Exception:  # strangers may have packed anything
                continue
            if isinstance(packed, bytes):
                yield packed
