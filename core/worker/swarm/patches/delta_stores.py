"""Store a record that has changed as what is new in it, at holders that have the one before."""

from __future__ import annotations

import functools
import math
import time
import zlib
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
from hivemind.dht.protocol import DHTProtocol
from hivemind.dht.routing import DHTID
from hivemind.p2p import P2PContext, PeerID
from hivemind.proto import dht_pb2

from core.worker.swarm.conditional_finds.messages import (
    attach,
    attached,
    decompressed,
    records_in,
    signature_start,
)
from core.worker.swarm.patches.monotonic_clock import steady_time

MOST_VALUE_BYTES = 4096  # of a record that is stored like that: a report has some 500, and zlib looks back 32,768
MOST_DELTAS = 4  # of one request
MOST_RECORDS, MOST_PEERS = 16, 256  # remembered of one peer; of whom they are remembered
REFUSALS, REFUSED_SECONDS = 2, 600.0  # after so many a peer is plain, or forgets at once: it is sent all for so long
DIGEST_BYTES = 8
SENDER: ContextVar[PeerID | None] = ContextVar("SENDER", default=None)
"""Whose request to store something is being obeyed; nobody's where we store something ourselves."""
MARGIN_SECONDS = 5.0  # until a record expires, in which its holder may have dropped it by the time a delta arrives


class Delta(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A record under a key, with what has changed since the one before, whose subkey it has.

    ``before`` are the digests of that one's subkey and value.
    """

    key: bytes
    before: bytes
    expiration_time: float
    packed: bytes

    def value(self, before: bytes) -> bytes:
        """The record's value, given the one before; raises ValueError for what is none."""
        return decompressed(self.packed, MOST_VALUE_BYTES, before)


@dataclass
class _Stored:
    """What one peer has stored for us, by key and subkey, as far as it can be told by deltas.

    Each value stands with the time at which it expires there, in seconds since 1970; ``refused_at`` is monotonic.
    """

    values: dict[tuple[bytes, bytes], tuple[bytes, float]] = field(default_factory=dict)
    refusals: int = 0
    refused_at: float = 0.0

    def deltas(self, request: dht_pb2.StoreRequest) -> dht_pb2.StoreRequest | None:
        """The same request in deltas; ``None`` where one has no record before it, or where it would not be shorter."""
        if self.refusals >= REFUSALS and time.monotonic() - self.refused_at < REFUSED_SECONDS:
            return None
        before = [self._value(named) for named in zip(request.keys, request.subkeys, strict=True)]
        if not before or len(before) > MOST_DELTAS or any(request.in_cache) or not all(before):
            return None
        changed = dht_pb2.StoreRequest(peer=request.peer)
        attach(changed, _encoded(request, [value for value in before if value is not None]))
        return changed if changed.ByteSize() < request.ByteSize() else None

    def _value(self, named: tuple[bytes, bytes]) -> bytes | None:
        """What the peer has under key and subkey; ``None`` where that is not known, or about to expire."""
        value, expires = self.values.get(named, (None, -math.inf))
        return value if expires > steady_time() + MARGIN_SECONDS else None

    def note(self, request: dht_pb2.StoreRequest, stored: Iterable[bool]) -> None:
        """Remember what the peer has now, in place of what it had before."""
        named = zip(request.keys, request.subkeys, strict=True)
        for name, value, expires, is_stored in zip(
            named, request.values, request.expiration_time, stored, strict=False
        ):
            self.values.pop(name, None)
            if is_stored and name[1] not in DHTProtocol.RESERVED_SUBKEYS and len(value) <= MOST_VALUE_BYTES:
                self.values[name] = value, expires
        while len(self.values) > MOST_RECORDS:
            del self.values[next(iter(self.values))]

    def note_refusal(self) -> None:
        """The peer does not have what was before, or is a plain one."""
        self.values.clear()
        self.refusals, self.refused_at = self.refusals + 1, time.monotonic()


class _Stub:
    """The stub of a peer, which stores in deltas where it can; all else is hivemind's."""

    def __init__(self, stub: Any, stored: _Stored) -> None:
        self._stub, self._stored = stub, stored

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stub, name)

    async def rpc_store(self, request: dht_pb2.StoreRequest, timeout: float | None = None) -> dht_pb2.StoreResponse:
        """Store as hivemind's does; in deltas first, where that is shorter, and in full where they are refused."""
        changed = self._stored.deltas(request)
        if changed is not None:
            response = await self._stub.rpc_store(changed, timeout=timeout)
            if len(response.store_ok) == len(request.keys):
                self._stored.refusals = 0
                self._stored.note(request, response.store_ok)
                return response
            self._stored.note_refusal()
        response = await self._stub.rpc_store(request, timeout=timeout)
        self._stored.note(request, response.store_ok)
        return response


def store_in_deltas() -> None:
    """Have hivemind's ``DHTProtocol`` store records again as what is new in them, and understand that.

    WORKAROUND H78: a report of one's progress is sent with its RSA key, twice as long as what is new in it, to five
    holders. Whoever does not know of deltas stores nothing of such a request, and is sent all.

    While a request is obeyed, `SENDER` is who has sent it.
    """
    stub_of, store = DHTProtocol.get_stub, DHTProtocol.rpc_store
    stored: WeakKeyDictionary[DHTProtocol, dict[PeerID, _Stored]] = WeakKeyDictionary()

    @functools.wraps(stub_of)
    def get_stub(self: DHTProtocol, peer: PeerID) -> Any:
        peers = stored.setdefault(self, {})
        if peer not in peers and len(peers) >= MOST_PEERS:
            peers.clear()
        return _Stub(stub_of(self, peer), peers.setdefault(peer, _Stored()))

    @functools.wraps(store)
    async def rpc_store(self: DHTProtocol, request: dht_pb2.StoreRequest, context: P2PContext) -> dht_pb2.StoreResponse:
        deltas = attached(request)
        if deltas and not request.keys and len(deltas) <= MOST_DELTAS:
            request = _request(self, deltas, request.peer)
        token = SENDER.set(context.remote_id)
        try:
            return await store(self, request, context)
        finally:
            SENDER.reset(token)

    DHTProtocol.get_stub, DHTProtocol.rpc_store = get_stub, rpc_store


def _encoded(request: dht_pb2.StoreRequest, before: list[bytes]) -> Iterable[bytes]:
    for key, subkey, value, expires, earlier in zip(
        request.keys, request.subkeys, request.values, request.expiration_time, before, strict=True
    ):
        yield msgspec.msgpack.encode(Delta(key, _digest(subkey) + _digest(earlier), expires, _packed(value, earlier)))


def _packed(value: bytes, before: bytes) -> bytes:
    """The value, compressed with what it has in common with the one before; its signature apart from all else."""
    compressor, split = zlib.compressobj(9, zdict=before), signature_start(value)
    packed = compressor.compress(value[:split]) + compressor.flush(zlib.Z_SYNC_FLUSH)
    return packed + compressor.compress(value[split:]) + compressor.flush()


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=DIGEST_BYTES).digest()


def _request(protocol: DHTProtocol, deltas: Iterable[bytes], peer: dht_pb2.NodeInfo) -> dht_pb2.StoreRequest:
    """The request as a plain peer would have sent it; an empty one where the records before are not here."""
    request = dht_pb2.StoreRequest(peer=peer)
    try:
        for delta in (msgspec.msgpack.decode(each, type=Delta) for each in deltas):
            subkey, before = _before(protocol, delta)
            request.keys.append(delta.key)
            request.subkeys.append(subkey)
            request.values.append(delta.value(before))
            request.expiration_time.append(delta.expiration_time)
            request.in_cache.append(False)
    except (ValueError, msgspec.MsgspecError):
        return dht_pb2.StoreRequest(peer=peer)
    return request


def _before(protocol: DHTProtocol, delta: Delta) -> tuple[bytes, bytes]:
    """Subkey and value of the record that a delta begins with; raises ValueError where it is not here."""
    if len(delta.key) != DHTID.HASH_NBYTES:
        raise ValueError("no key of the DHT")
    item = protocol.storage.get(DHTID.from_bytes(delta.key))
    subkey, value = delta.before[:DIGEST_BYTES], delta.before[DIGEST_BYTES:]
    for record in records_in(item.value) if item is not None else ():
        if _digest(record.subkey) == subkey and _digest(record.value) == value:
            return record.subkey, record.value
    raise ValueError("a delta begins with what is not here")
