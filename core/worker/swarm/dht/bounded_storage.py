"""What this peer keeps for others in its part of the DHT: no more than it can hold, and can tell."""

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
_COUNT_AGAIN_SECONDS = 1.0


class BoundedStorage(DHTLocalStorage):
    """Refuses what does not fit. What is there already may always be renewed, so the first to come stay.

    ``bounds`` are lower ones for some keys.
    """

    def __init__(self, bounds: dict[DHTID, int]) -> None:
        super().__init__()
        self._bounds = bounds
        self._bytes: Counter[DHTID] = Counter()
        self._counted_at = time.monotonic()

    def store(self, key: DHTID, value: Any, expiration_time: float, subkey: Any = None) -> bool:
        """As DHTLocalStorage's, if there is room."""
        if subkey is not None:
            return self.store_subkey(key, subkey, value, expiration_time)
        return self._takes(key, None, value, expiration_time) and bool(super().store(key, value, expiration_time))

    def store_subkey(self, key: DHTID, subkey: Any, value: bytes, expiration_time: float) -> bool:
        """As DHTLocalStorage's, if there is room."""
        return self._takes(key, subkey, value, expiration_time) and bool(
            super().store_subkey(key, subkey, value, expiration_time)
        )

    def keep(self, key: DHTID, subkey: Any, value: bytes, expiration_time: float) -> bool:
        """Our own record, for which there is always room."""
        return bool(super().store_subkey(key, subkey, value, expiration_time))

    def _takes(self, key: DHTID, subkey: Any, value: Any, expiration_time: float) -> bool:
        """Whether there is room for it, which it has from now on."""
        is_in_time = expiration_time <= steady_time() + MAX_LIFETIME_SECONDS  # no number is not
        if not is_in_time or not isinstance(value, bytes) or len(value) > MAX_RECORD_BYTES:
            return False
        grown = _size(subkey, value) - self._held(key, subkey)
        if not self._has_room(key, grown):
            self._count_again()
            if not self._has_room(key, grown):
                return False
        self._bytes[key] += grown
        return True

    def _has_room(self, key: DHTID, grown: int) -> bool:
        most = self._bounds.get(key, MAX_KEY_BYTES)
        is_small = self._bytes[key] + grown <= most and self._bytes.total() + grown <= MAX_BYTES
        return grown <= 0 or is_small

    def _held(self, key: DHTID, subkey: Any) -> int:
        """What that very record takes now."""
        item = self.get(key)
        if item is None:
            return 0
        if not isinstance(item.value, DictionaryDHTValue):
            return _size(None, item.value)
        held = item.value.get(subkey)
        return 0 if held is None else _size(subkey, held.value)

    def _count_again(self) -> None:
        """Without what has expired meanwhile; not all the time, for it takes some."""
        if time.monotonic() - self._counted_at < _COUNT_AGAIN_SECONDS:
            return
        self._bytes = Counter({key: _size_of(item.value) for key, item in self.items()})
        self._counted_at = time.monotonic()


def bound_storage(node: DHTNode, bounds: dict[DHTID, int]) -> None:
    """In the DHT process, as soon as there is one: bounds to what strangers may store here.

    WORKAROUND H25: hivemind takes everything, of any size, until memory ends; an answer of more than 4 MiB cannot
    be read by anybody, and so hides what else is under the key. And it prefers what strangers have put into
    its cache to what is stored, so there is no cache: hivemind's own questions all want the latest anyway.
    """
    bounded = BoundedStorage(bounds)
    for key, item in node.protocol.storage.items():
        TimedStorage.store(bounded, key, item.value, item.expiration_time)
    node.protocol.storage, node.protocol.cache = bounded, _NoCache()


class _NoCache(DHTLocalStorage):
    """Holds nothing."""

    def store(self, *_: Any, **__: Any) -> bool:
        """Never."""
        return False

    def store_subkey(self, *_: Any, **__: Any) -> bool:
        """Never."""
        return False


def _size_of(value: Any) -> int:
    if not isinstance(value, DictionaryDHTValue):
        return _size(None, value)
    return sum(_size(subkey, item.value) for subkey, item in value.items())


def _size(subkey: Any, value: bytes) -> int:
    """What a record takes in memory, more or less."""
    named = len(subkey) if isinstance(subkey, str | bytes) else 0
    return RECORD_OVERHEAD_BYTES + named + len(value)
