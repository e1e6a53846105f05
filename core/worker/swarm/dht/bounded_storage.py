"""The part of the DHT that this peer stores for others, with bounds on its size.

The DHT is Kademlia (Maymounkov and Mazières, 2002): a record is stored by the peers whose ids are nearest to its key,
whoever they are. A value is plain, or a dictionary whose subkeys expire one by one (``hivemind/dht/storage.py``).
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from hivemind.dht import DHTNode
from hivemind.dht.routing import DHTID
from hivemind.dht.storage import DHTLocalStorage, DictionaryDHTValue
from hivemind.utils.timed_storage import TimedStorage

from core.worker.swarm.patches.monotonic_clock import steady_time

MAX_BYTES = 64 * 1024 * 1024  # in all
MAX_KEY_BYTES = 2 * 1024 * 1024  # under one key: the reports of 1,800 peers, and what one answer may hold
MAX_RECORD_BYTES = 128 * 1024
MAX_LIFETIME_SECONDS = 3600.0  # hivemind's own records live for minutes
RECORD_OVERHEAD_BYTES = 256
_RECOUNT_SECONDS = 1.0


class BoundedStorage(DHTLocalStorage):
    """Refuses what does not fit. What is there already may always be renewed, so the first to come stay.

    ``bounds`` are lower bounds than ``MAX_KEY_BYTES`` for some keys, in bytes.
    """

    def __init__(self, bounds: dict[DHTID, int]) -> None:
        super().__init__()
        self._bounds = bounds
        self._bytes: Counter[DHTID] = Counter()
        self._counted_at = time.monotonic()

    def store(self, key: DHTID, value: Any, expiration_time: float, subkey: Any = None) -> bool:
        """Store a plain value, or one of a dictionary, if there is room; whether it was stored."""
        if subkey is not None:
            return self.store_subkey(key, subkey, value, expiration_time)
        return self._reserve(key, None, value, expiration_time) and bool(super().store(key, value, expiration_time))

    def store_subkey(self, key: DHTID, subkey: Any, value: bytes, expiration_time: float) -> bool:
        """Store a value of a dictionary, if there is room; whether it was stored."""
        return self._reserve(key, subkey, value, expiration_time) and bool(
            super().store_subkey(key, subkey, value, expiration_time)
        )

    def keep(self, key: DHTID, subkey: Any, value: bytes, expiration_time: float) -> bool:
        """Store our own record, for which there is always room; whether it was stored."""
        return bool(super().store_subkey(key, subkey, value, expiration_time))

    def _reserve(self, key: DHTID, subkey: Any, value: Any, expiration_time: float) -> bool:
        """Whether there is room for that record; the room is counted as taken from then on."""
        is_in_time = expiration_time <= steady_time() + MAX_LIFETIME_SECONDS  # false for a NaN
        if not is_in_time or not isinstance(value, bytes) or len(value) > MAX_RECORD_BYTES:
            return False
        grown = _size(subkey, value) - self._held(key, subkey)
        if not self._has_room(key, grown):
            self._recount()
            if not self._has_room(key, grown):
                return False
        self._bytes[key] += grown
        return True

    def _has_room(self, key: DHTID, grown: int) -> bool:
        most = self._bounds.get(key, MAX_KEY_BYTES)
        is_small = self._bytes[key] + grown <= most and self._bytes.total() + grown <= MAX_BYTES
        return grown <= 0 or is_small

    def _held(self, key: DHTID, subkey: Any) -> int:
        """The bytes that this very record takes now."""
        item = self.get(key)
        if item is None:
            return 0
        if not isinstance(item.value, DictionaryDHTValue):
            return _size(None, item.value)
        held = item.value.get(subkey)
        return 0 if held is None else _size(subkey, held.value)

    def _recount(self) -> None:
        """Count without what has expired meanwhile; at most once a second, as every record is looked at."""
        if time.monotonic() - self._counted_at < _RECOUNT_SECONDS:
            return
        self._bytes = Counter({key: _size_of(item.value) for key, item in self.items()})
        self._counted_at = time.monotonic()


def bound_storage(node: DHTNode, bounds: dict[DHTID, int]) -> None:
    """Replace the storage of our DHT node; call it in the DHT process as soon as there is one.

    WORKAROUND H25: hivemind takes everything, of any size, until memory ends; an answer of more than 4 MiB cannot
    be read by anybody, and so hides what else is under the key. And it prefers what strangers have put into
    its cache to what is stored, so there is no cache: hivemind's own questions all want the latest anyway.
    """
    bounded = BoundedStorage(bounds)
    for key, item in node.protocol.storage.items():
        TimedStorage.store(bounded, key, item.value, item.expiration_time)
    node.protocol.storage, node.protocol.cache = bounded, _NoCache()


class _NoCache(DHTLocalStorage):
    """A cache that stores nothing."""

    def store(self, *_: Any, **__: Any) -> bool:
        """Store nothing, and say so."""
        return False

    def store_subkey(self, *_: Any, **__: Any) -> bool:
        """Store nothing, and say so."""
        return False


def _size_of(value: Any) -> int:
    if not isinstance(value, DictionaryDHTValue):
        return _size(None, value)
    return sum(_size(subkey, item.value) for subkey, item in value.items())


def _size(subkey: Any, value: bytes) -> int:
    """About how many bytes a record takes in memory."""
    named = len(subkey) if isinstance(subkey, str | bytes) else 0
    return RECORD_OVERHEAD_BYTES + named + len(value)
