"""The part of the DHT that this peer stores for others, with bounds on its size.

The DHT is Kademlia (Maymounkov and Mazières, 2002): a record is stored by the peers whose ids are nearest to its key,
whoever they are. A value is plain, or a dictionary whose subkeys expire one by one (``hivemind/dht/storage.py``). All
that Workerbee and hivemind's averagers store are dictionaries.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from hivemind.dht import DHTNode
from hivemind.dht.routing import DHTID
from hivemind.dht.storage import DHTLocalStorage, DictionaryDHTValue
from hivemind.utils.timed_storage import HeapEntry, TimedStorage, ValueWithExpiration

from core.worker.swarm.patches.delta_stores import SENDER
from core.worker.swarm.patches.monotonic_clock import steady_time
from core.worker.swarm.patches.size_limits import is_peer_id

MAX_BYTES = 64 * 1024 * 1024  # in all
MAX_KEY_BYTES = 2 * 1024 * 1024  # under one key: the reports of 1,800 peers, and what one answer may hold
MAX_RECORD_BYTES = 128 * 1024
MAX_LIFETIME_SECONDS = 3600.0  # hivemind's own records live for minutes
RECORD_OVERHEAD_BYTES = 256
KEY_OVERHEAD_BYTES = 2048  # of a dictionary
_RECOUNT_SECONDS = 1.0
_SPARE_ENTRIES = 8  # of a heap, besides twice those that are needed

Order = Callable[[Any, bytes], float | None]
"""By what the value under a subkey, packed, is later than others of its signer; ``None`` where that one has not signed
it."""


class _Kept(ValueWithExpiration[bytes]):
    """A record of our own, or one that we publish for its signer: what strangers bring does not take its place."""


class _Entry(HeapEntry[Any]):
    """When a record expires; unlike hivemind's, two that expire together need no subkeys of one type.

    A search of hivemind's puts what others have found into the very dictionary that is held, with entries of its own.
    """

    def __lt__(self, other: HeapEntry[Any]) -> bool:
        return bool(self.expiration_time < other.expiration_time)

    def __gt__(self, other: HeapEntry[Any]) -> bool:
        return bool(self.expiration_time > other.expiration_time)


class BoundedStorage(DHTLocalStorage):
    """Refuses what does not fit. What is there already may always be renewed, so the first to come stay.

    ``bounds`` are lower bounds than ``MAX_KEY_BYTES`` for some keys, in bytes. Where there is one of the ``orders`` for
    a key, what is later by it takes the place of what is earlier, whichever expires first.

    WORKAROUND H85: hivemind notes when a record expires before it refuses it, and drops the later one then that is
    there. A plain value takes the place of a whole dictionary, and whatever expires last that of anybody's record.
    """

    def __init__(self, bounds: Mapping[DHTID, int], orders: Mapping[DHTID, Order] | None = None) -> None:
        super().__init__()
        self._bounds, self.orders = bounds, dict(orders or {})
        self._bytes: Counter[DHTID] = Counter()
        self._counted_at = time.monotonic()

    def store(self, key: DHTID, value: Any, expiration_time: float, subkey: Any = None) -> bool:
        """Store a value of a dictionary, as `store_subkey` does; a plain one never is. Whether it was stored."""
        return subkey is not None and self.store_subkey(key, subkey, value, expiration_time)

    def store_subkey(self, key: DHTID, subkey: Any, value: bytes, expiration_time: float) -> bool:
        """Store a value of a dictionary, if there is room and it is later than what is there; whether it was stored.

        WORKAROUND H86: hivemind lets anybody store under another's peer id, which is the subkey where averagers look
        for a group or a state, that this peer looks for none and has none.
        """
        if not _is_storable(subkey, value, expiration_time) or _is_in_anothers_name(subkey):
            return False
        new, held = ValueWithExpiration(value, expiration_time), self._held(key, subkey)
        if held is not None and not self._takes_place(key, subkey, new, held):
            return False
        if not self._reserve(key, self._grown(key, subkey, new, held)):
            return False
        self._put(key, subkey, new)
        return True

    def keep(self, key: DHTID, subkey: Any, value: bytes, expiration_time: float) -> bool:
        """Store our own record, for which there is always room, in place of what is there; whether it was stored.

        It is not where a later one is there, by the key's order: of another's record we may not know the latest.
        """
        new, held = _Kept(value, expiration_time), self._held(key, subkey)
        if held is not None and self._is_later(key, subkey, held, new):
            return False
        self._bytes[key] += self._grown(key, subkey, new, held)
        self._put(key, subkey, new)
        return True

    def _takes_place(
        self, key: DHTID, subkey: Any, new: ValueWithExpiration[bytes], held: ValueWithExpiration[bytes]
    ) -> bool:
        """Whether a record takes the place of the one that is there."""
        if self._is_later(key, subkey, new, held):
            return True
        is_refused = isinstance(held, _Kept) or self._is_later(key, subkey, held, new)
        return not is_refused and bool(held.expiration_time < new.expiration_time)

    def _is_later(
        self, key: DHTID, subkey: Any, one: ValueWithExpiration[bytes], other: ValueWithExpiration[bytes]
    ) -> bool:
        """Whether one is later than the other by the key's order; what nobody has signed is earlier than all."""
        order = self.orders.get(key)
        if order is None or one.value == other.value:
            return False
        first, second = order(subkey, one.value), order(subkey, other.value)
        return first is not None and (second is None or first > second)

    def _put(self, key: DHTID, subkey: Any, record: ValueWithExpiration[bytes]) -> None:
        """Store it in place of what is there."""
        item = self.get(key)
        dictionary = DictionaryDHTValue() if item is None else item.value
        latest = max(dictionary.latest_expiration_time, record.expiration_time)
        dictionary.latest_expiration_time = latest
        _insert(dictionary, subkey, record)
        if item is None or item.expiration_time < latest:
            _insert(self, key, ValueWithExpiration(dictionary, latest))

    def _grown(
        self, key: DHTID, subkey: Any, new: ValueWithExpiration[bytes], held: ValueWithExpiration[bytes] | None
    ) -> int:
        """How many bytes more are taken by a record in place of the one that is there."""
        before = 0 if held is None else _size(subkey, held.value)
        return _size(subkey, new.value) - before + (0 if key in self else KEY_OVERHEAD_BYTES)

    def _reserve(self, key: DHTID, grown: int) -> bool:
        """Whether there is room for so many bytes more; it is counted as taken from then on."""
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

    def _held(self, key: DHTID, subkey: Any) -> ValueWithExpiration[bytes] | None:
        """What is there under key and subkey."""
        item = self.get(key)
        return None if item is None else item.value.get(subkey)

    def _recount(self) -> None:
        """Count without what has expired meanwhile; at most once a second, as every record is looked at."""
        if time.monotonic() - self._counted_at < _RECOUNT_SECONDS:
            return
        self._bytes = Counter({key: _size_of(item.value) for key, item in self.items()})
        self._counted_at = time.monotonic()


def bound_storage(node: DHTNode, bounds: Mapping[DHTID, int], orders: Mapping[DHTID, Order] | None = None) -> None:
    """Replace the storage of our DHT node; call it in the DHT process as soon as there is one.

    WORKAROUND H25: hivemind takes everything, of any size, until memory ends; an answer of more than 4 MiB cannot
    be read by anybody, and so hides what else is under the key. And it prefers what strangers have put into
    its cache to what is stored, so there is no cache: hivemind's own questions all want the latest anyway.
    """
    bounded = BoundedStorage(bounds, orders)
    for key, item in node.protocol.storage.items():
        for subkey, (value, expires) in item.value.items() if isinstance(item.value, DictionaryDHTValue) else ():
            bounded.store_subkey(key, subkey, value, expires)
    node.protocol.storage, node.protocol.cache = bounded, _NoCache()


class _NoCache(DHTLocalStorage):
    """A cache that stores nothing."""

    def store(self, *_: Any, **__: Any) -> bool:
        """Store nothing, and say so."""
        return False

    def store_subkey(self, *_: Any, **__: Any) -> bool:
        """Store nothing, and say so."""
        return False


def _is_in_anothers_name(subkey: Any) -> bool:
    """Whether it may be the peer id of another than the one whose request is obeyed; what we store ourselves is ours.

    A holder hands such records over to a new node, too: each lives for half a minute, and the others hold it as well.
    """
    sender = SENDER.get()
    return sender is not None and is_peer_id(subkey) and subkey != sender.to_bytes()


def _is_storable(subkey: Any, value: Any, expiration_time: float) -> bool:
    """Whether a record is one that any peer may need; false for a time that is none."""
    now = steady_time()
    is_in_time = now <= expiration_time <= now + MAX_LIFETIME_SECONDS
    return is_in_time and isinstance(subkey, str | bytes | int) and _is_short(value)


def _is_short(value: Any) -> bool:
    return isinstance(value, bytes) and len(value) <= MAX_RECORD_BYTES


def _insert(storage: TimedStorage[Any, Any], key: Any, item: ValueWithExpiration[Any]) -> None:
    """Put it in place of what is there, and keep the heap from growing by what has been replaced."""
    entry = _Entry(item.expiration_time, key)
    storage.data[key], storage.key_to_heap[key] = item, entry
    heapq.heappush(storage.expiration_heap, entry)
    if len(storage.expiration_heap) > 2 * len(storage.data) + _SPARE_ENTRIES:
        storage.expiration_heap = list(storage.key_to_heap.values())
        heapq.heapify(storage.expiration_heap)


def _size_of(dictionary: DictionaryDHTValue) -> int:
    return KEY_OVERHEAD_BYTES + sum(_size(subkey, each.value) for subkey, each in dictionary.items())


def _size(subkey: str | bytes | int, value: bytes) -> int:
    """About how many bytes a record takes in memory."""
    named = len(subkey) if isinstance(subkey, str | bytes) else 0
    return RECORD_OVERHEAD_BYTES + named + len(value)
