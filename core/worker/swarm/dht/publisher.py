"""Keep one value of ours in the swarm's DHT: records there expire, and their holders come and go."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial

from hivemind.dht import DHT, DHTNode
from hivemind.dht.routing import DHTID
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.patches.monotonic_clock import steady_time

LIFETIME_SECONDS = 600.0
REPUBLISH_SECONDS = 120.0

StartThread = Callable[[str, Callable[[], None]], object]
"""Starts a thread of that name; the worker's supervisor watches it."""

log = logging.getLogger(__name__)


class Publisher:
    """A thread that stores a value under a key and a subkey, now and every two minutes."""

    def __init__(self, dht: DHT, key: str, subkey: str, value: bytes) -> None:
        self._dht, self._key, self._subkey, self._value = dht, key, subkey, value
        self._has_changed = threading.Event()

    def start(self, start_thread: StartThread) -> None:
        """Publish once before returning, then in a background thread of the worker's supervisor."""
        self._store()
        start_thread("publisher", self._publish)

    def publish_instead(self, value: bytes) -> None:
        """Publish that value from now on, soon."""
        self._value = value
        self._has_changed.set()

    def _publish(self) -> None:
        while True:
            self._has_changed.wait(REPUBLISH_SECONDS)
            self._has_changed.clear()
            self._store()

    def _store(self) -> None:
        key, subkey, value, until = self._key, self._subkey, self._value, steady_time() + LIFETIME_SECONDS
        try:
            self._dht.run_coroutine(partial(keep_value, key=key, subkey=subkey, value=value, until=until))
            storing = self._dht.store(key, subkey=subkey, value=value, expiration_time=until, return_future=True)
            storing.result(REPUBLISH_SECONDS)
        except TimeoutError:
            log.exception("our value under %s was not stored this time", key)


class Republisher:
    """Keeps values in the DHT that others have signed, each under the peer id of its signer, while they are away."""

    def __init__(self, dht: DHT, key: str, start_thread: StartThread) -> None:
        self._dht, self._key, self._start_thread = dht, key, start_thread
        self._publishers = dict[str, Publisher]()

    def publish(self, signer: str, signed: bytes) -> None:
        """Publish that value of this signer from now on."""
        if (publisher := self._publishers.get(signer)) is not None:
            publisher.publish_instead(signed)
            return
        self._publishers[signer] = Publisher(self._dht, self._key, signer, signed)
        self._publishers[signer].start(self._start_thread)


async def keep_value(_dht: DHT, node: DHTNode, key: str, subkey: str, value: bytes, until: float) -> None:
    """Store it ourselves, in the DHT process: whoever was given our address asks us, however full the others are."""
    node.protocol.storage.keep(DHTID.generate(source=key), subkey, MSGPackSerializer.dumps(value), until)
