"""Read what strangers keep in the DHT: whole dictionaries, one value at a time, whatever else is in them.

WORKAROUND H27: hivemind's own ``get`` drops a dictionary as a whole if one of its values is wrong, takes a plain
value that somebody put over the dictionary for the dictionary, and never answers if a value does not decode.
So every peer that may hold the key is asked, and all that it holds is told; readers believe signatures only.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Iterable
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import pydantic.v1 as pydantic
from hivemind.dht import DHT, DHTNode
from hivemind.dht.routing import DHTID
from hivemind.dht.storage import DictionaryDHTValue
from hivemind.dht.validation import DHTRecord
from hivemind.p2p import PeerID
from hivemind.proto import dht_pb2
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.dht.rsa_validator import MAX_SUBKEY_BYTES, Signatures
from core.worker.swarm.patches.value_free_searches import id_beside

READ_LIMIT_SECONDS = 10.0
MAX_PEERS_ASKED = 16
MAX_VALUES = 10_000
MAX_SIGNED_BYTES = MAX_SUBKEY_BYTES  # of a value, too

_Model = TypeVar("_Model", bound=pydantic.BaseModel)
_Value = tuple[bytes, bytes, bytes, float]  # the fields of a DHTRecord


def parse_record(model: type[_Model], value: object) -> _Model | None:
    """Return a stranger's value as that model; ``None`` for anything else.

    pydantic.v1 raises TypeError, not ValidationError, for a dictionary whose keys are not text.
    """
    with contextlib.suppress(pydantic.ValidationError, TypeError):
        return model.parse_obj(value)
    return None


def read_dictionary(dht: DHT, key: str, also_ask: Iterable[str] = (), *, of_one: bool = False) -> list[DHTRecord]:
    """Every unexpired value under ``key``, as bytes and unverified; ``also_ask`` are peer ids.

    What is read often and decides nothing is read ``of_one`` holder, any of the nearest. Never waits for more than
    ``READ_LIMIT_SECONDS``; nobody answering is an empty list.
    """
    read = _read_of_one if of_one else partial(_read, also_ask=tuple(also_ask))
    asking = dht.run_coroutine(partial(read, key_id=DHTID.generate(source=key)), return_future=True)
    with contextlib.suppress(TimeoutError):
        return [DHTRecord(*fields) for fields in asking.result(READ_LIMIT_SECONDS)]
    return []


def read_signed(
    dht: DHT, key: str, also_ask: Iterable[str] = (), *, of_one: bool = False
) -> dict[bytes, dict[str, Any]]:
    """Of what `read_dictionary` reads, the newest table of every subkey whose RSA signature holds; none retracted."""
    newest: dict[bytes, DHTRecord] = {}
    signature = Signatures()
    for record in read_dictionary(dht, key, also_ask, of_one=of_one):
        if _is_owned(record) and signature.validate(record):
            known = newest.get(record.subkey)
            if known is None or known.expiration_time < record.expiration_time:
                newest[record.subkey] = record
    decoded = {subkey: _table_in(signature.strip_value(record)) for subkey, record in newest.items()}
    return {subkey: table for subkey, table in decoded.items() if table is not None}


def forget(dht: DHT, *keys: str) -> None:
    """Drop what we hold under those keys for others."""
    dht.run_coroutine(partial(_forget, key_ids=[DHTID.generate(source=key) for key in keys]))


async def _forget(_dht: DHT, node: DHTNode, key_ids: list[DHTID]) -> None:
    for storage in (node.protocol.storage, node.protocol.cache):
        for key_id in key_ids:
            del storage[key_id]


def _is_owned(record: DHTRecord) -> bool:
    """Whether it names an owner; whoever writes kilobytes only wants to keep us busy."""
    is_small = max(len(record.subkey), len(record.value)) <= MAX_SIGNED_BYTES
    return is_small and Signatures._PUBLIC_KEY_RE.search(record.subkey) is not None


def _table_in(value: bytes) -> dict[str, Any] | None:
    """The named fields in a value; ``None`` for anything else."""
    try:
        decoded = MSGPackSerializer.loads(value)
    except Exception:
        return None
    is_table = isinstance(decoded, dict) and all(isinstance(name, str) for name in decoded)
    return decoded if is_table else None


async def _read(_dht: DHT, node: DHTNode, key_id: DHTID, also_ask: tuple[str, ...]) -> list[_Value]:
    """Read our own storage, that of the nearest peers and of the peers named; runs in the DHT process."""
    peers = dict.fromkeys([*map(PeerID.from_base58, also_ask), *await _nearest(node, key_id)])
    peers.pop(node.peer_id, None)
    answers = await asyncio.gather(
        *(_ask(node, peer, key_id) for peer in list(peers)[: MAX_PEERS_ASKED + len(also_ask)]),
        return_exceptions=True,
    )
    held = [_own(node, key_id), *(answer for answer in answers if isinstance(answer, list))]
    return list(dict.fromkeys(value for values in held for value in values))[:MAX_VALUES]


async def _read_of_one(_dht: DHT, node: DHTNode, key_id: DHTID) -> list[_Value]:
    """Read our own storage and that of one of the peers that should hold the key; runs in the DHT process."""
    holder = any_holder(node, key_id)
    answer = await _ask(node, holder, key_id) if holder is not None else []
    return list(dict.fromkeys([*_own(node, key_id), *answer]))[:MAX_VALUES]


def any_holder(node: DHTNode, key_id: DHTID) -> PeerID | None:
    """One of the peers that should hold the key and have answered lately, by lot; ``None`` where there is none."""
    nearest = node.protocol.routing_table.get_nearest_neighbors(key_id, node.num_replicas, exclude=node.node_id)
    holders = [peer for _, peer in nearest if peer not in node.blacklist]
    return random.choice(holders) if holders else None


async def _nearest(node: DHTNode, key_id: DHTID) -> list[PeerID]:
    """The peers that should hold the key by Kademlia's rule; in a small swarm, everybody we know.

    WORKAROUND H28: hivemind learns no neighbours from a peer whose value under the wanted key does not decode; so
    they are asked for an id right beside it, which nobody can guess and under which nothing is stored.
    """
    known = list(node.protocol.routing_table.peer_id_to_uid)
    if len(known) <= MAX_PEERS_ASKED // 2:
        return known
    beside = id_beside(key_id)
    nearest = await node.find_nearest_nodes([beside], k_nearest=MAX_PEERS_ASKED, exclude_self=True)
    return list(nearest[beside].values())


async def _ask(node: DHTNode, peer: PeerID, key_id: DHTID) -> list[_Value]:
    """What that peer holds under the key. It is in our routing table from then on, as with hivemind's own requests.

    Else a peer that had been away would stay unknown to hivemind's ``get``, see `ping_peers`.
    """
    request = dht_pb2.FindRequest(keys=[key_id.to_bytes()], peer=node.protocol.node_info)
    response = await node.protocol.get_stub(peer).rpc_find(request, timeout=node.protocol.wait_timeout)
    if response.peer.node_id:
        await node.protocol.update_routing_table(DHTID.from_bytes(response.peer.node_id), peer)
        node.blacklist.register_success(peer)
    if response.results[0].type != dht_pb2.FOUND_DICTIONARY:
        return []
    return _values(key_id, MSGPackSerializer.loads(response.results[0].value))


def _own(node: DHTNode, key_id: DHTID) -> list[_Value]:
    held = [storage.get(key_id) for storage in (node.protocol.storage, node.protocol.cache)]
    return [value for item in held if item is not None for value in _values(key_id, item.value)]


def _values(key_id: DHTID, dictionary: Any) -> list[_Value]:
    if not isinstance(dictionary, DictionaryDHTValue):
        return []
    return [
        (key_id.to_bytes(), MSGPackSerializer.dumps(subkey), item.value, item.expiration_time)
        for subkey, item in islice(dictionary.items(), MAX_VALUES)
        if isinstance(item.value, bytes) and isinstance(item.expiration_time, int | float)
    ]
