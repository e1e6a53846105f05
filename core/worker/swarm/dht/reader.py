"""Read what strangers keep in the DHT: whole dictionaries, one value at a time, whatever else is in them.

WORKAROUND H27: hivemind's own ``get`` drops a dictionary as a whole if one of its values is wrong, takes a plain
value that somebody put over the dictionary for the dictionary, and never answers if a value does not decode.
So every peer that may hold the key is asked, and all that it holds is told; readers believe signatures only.
What is read again and again is asked of one of them each time, and told together with what the others have answered
not long ago: see `_Remembered`. Each is told what is known already, and sends the rest: see `conditional_finds`.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Any, Literal, TypeVar
from weakref import WeakKeyDictionary

import pydantic.v1 as pydantic
from hivemind.dht import DHT, DHTNode
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import DHTRecord
from hivemind.p2p import PeerID
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.conditional_finds.asking import ask_holder
from core.worker.swarm.conditional_finds.messages import Record, records_in
from core.worker.swarm.dht.rsa_validator import MAX_SUBKEY_BYTES, Signatures
from core.worker.swarm.patches.monotonic_clock import steady_time
from core.worker.swarm.patches.value_free_searches import id_beside

READ_LIMIT_SECONDS = 10.0
MAX_PEERS_ASKED = 16
AGAIN_SECONDS = 120.0  # after which each peer that should hold a key is asked again that is read again and again
OTHERS_AGAIN_SECONDS = 600.0  # the same of those that are near the key, but not near enough to be given its values
MAX_REMEMBERED_BYTES = 2**17  # of one peer's answer; of a longer one nothing is remembered
MAX_VALUES = 10_000
MAX_SIGNED_BYTES = MAX_SUBKEY_BYTES  # of a value, too

Ask = Literal["all", "in turn", "one"]
"""Of whom a key is read: of all who may hold it; of one holder after the other, where it is read again and again; or of
any one of the nearest, where it is read often and decides nothing."""

_Model = TypeVar("_Model", bound=pydantic.BaseModel)


def parse_record(model: type[_Model], value: object) -> _Model | None:
    """Return a stranger's value as that model; ``None`` for anything else.

    pydantic.v1 raises TypeError, not ValidationError, for a dictionary whose keys are not text.
    """
    with contextlib.suppress(pydantic.ValidationError, TypeError):
        return model.parse_obj(value)
    return None


def read_dictionary(dht: DHT, key: str, also_ask: Iterable[str] = (), *, ask: Ask = "all") -> list[DHTRecord]:
    """Every unexpired value under ``key``, as bytes and unverified; ``also_ask`` are peer ids.

    Never waits for more than ``READ_LIMIT_SECONDS``; nobody answering is an empty list.
    """
    read_several = _read_in_turn if ask == "in turn" else _read
    read = _read_of_one if ask == "one" else partial(read_several, also_ask=tuple(also_ask))
    key_id = DHTID.generate(source=key)
    asking = dht.run_coroutine(partial(read, key_id=key_id), return_future=True)
    with contextlib.suppress(TimeoutError):
        return [DHTRecord(key_id.to_bytes(), *record) for record in asking.result(READ_LIMIT_SECONDS)]
    return []


def read_signed(dht: DHT, key: str, also_ask: Iterable[str] = (), *, ask: Ask = "all") -> dict[bytes, dict[str, Any]]:
    """Of what `read_dictionary` reads, the newest table of every subkey whose RSA signature holds; none retracted."""
    newest: dict[bytes, DHTRecord] = {}
    signature = Signatures()
    for record in read_dictionary(dht, key, also_ask, ask=ask):
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


async def _read(_dht: DHT, node: DHTNode, key_id: DHTID, also_ask: tuple[str, ...]) -> list[Record]:
    """Read our own storage, that of the nearest peers and of the peers named; runs in the DHT process."""
    peers = dict.fromkeys([*map(PeerID.from_base58, also_ask), *(await _nearest(node, key_id)).values()])
    peers.pop(node.peer_id, None)
    own = own_records(node, key_id)
    answers = await _ask(node, list(peers)[: MAX_PEERS_ASKED + len(also_ask)], key_id, own)
    return _distinct(own, *(answer for answer in answers if isinstance(answer, list)))


@dataclass
class _Remembered:
    """Who is near a key, by node id, and what each has answered when it was asked for it, by `steady_time`.

    A peer that holds old values, or none, hides nothing: another one is asked at the next read, and what any of them
    has told is told again until it is asked anew, or the value expires.
    """

    peers: dict[DHTID, PeerID] = field(default_factory=dict)
    searched_at: float = -math.inf
    answers: dict[PeerID, tuple[float, list[Record]]] = field(default_factory=dict)

    def due(self, holders: Iterable[PeerID], also_near: Iterable[PeerID]) -> list[PeerID]:
        """Whom to ask now: who has not answered or not for long, and the holder whose answer is the oldest."""
        now, asked = steady_time(), {peer: at for peer, (at, _) in self.answers.items()}
        oldest = min((peer for peer in holders if peer in asked), key=asked.__getitem__, default=None)
        limits = dict.fromkeys(also_near, OTHERS_AGAIN_SECONDS) | dict.fromkeys(holders, AGAIN_SECONDS)
        late = [peer for peer, limit in limits.items() if peer not in asked or now - asked[peer] >= limit]
        return list(dict.fromkeys([*late, *([] if oldest is None else [oldest])]))

    def note(self, peer: PeerID, answer: list[Record] | BaseException) -> None:
        """Take its answer in place of its last one; whoever does not answer, or too much, is asked at every read."""
        self.answers.pop(peer, None)
        if (
            isinstance(answer, list)
            and sum(len(each.subkey) + len(each.value) for each in answer) <= MAX_REMEMBERED_BYTES
        ):
            self.answers[peer] = steady_time(), answer

    def records(self, peers: Iterable[PeerID]) -> list[Record]:
        """What these have told and what has not expired; everybody else's answers are forgotten."""
        self.answers = {peer: self.answers[peer] for peer in peers if peer in self.answers}
        now = steady_time()
        return [record for _, answer in self.answers.values() for record in answer if record.expiration_time > now]


_remembered: WeakKeyDictionary[DHTNode, dict[DHTID, _Remembered]] = WeakKeyDictionary()


async def _read_in_turn(_dht: DHT, node: DHTNode, key_id: DHTID, also_ask: tuple[str, ...]) -> list[Record]:
    """As `_read`, with what those have answered before who are not asked this time; runs in the DHT process."""
    known = _of_key(node, key_id)
    is_old = steady_time() - known.searched_at >= OTHERS_AGAIN_SECONDS
    if is_old or len(node.protocol.routing_table.peer_id_to_uid) <= MAX_PEERS_ASKED // 2:
        nearest = await _nearest(node, key_id)
        known.peers, known.searched_at = dict(islice(nearest.items(), MAX_PEERS_ASKED)), steady_time()
    holders = [*map(PeerID.from_base58, also_ask), *_holders(node, key_id, known.peers)]
    holders = [peer for peer in dict.fromkeys(holders) if peer != node.peer_id]
    near = [peer for peer in known.peers.values() if peer != node.peer_id]
    own, asked = own_records(node, key_id), known.due(holders, near)
    answers = await _ask(node, asked, key_id, _distinct(own, known.records([*holders, *near])))
    for peer, answer in zip(asked, answers, strict=True):
        known.note(peer, answer)
    fresh = (answer for answer in answers if isinstance(answer, list))
    return _distinct(own, *fresh, known.records([*holders, *near]))


async def _read_of_one(_dht: DHT, node: DHTNode, key_id: DHTID) -> list[Record]:
    """Read our own storage and that of one of the peers that should hold the key; runs in the DHT process.

    What the last one has told spares this one to send the same again, and is not told for it.
    """
    own, known, holder = own_records(node, key_id), _of_key(node, key_id), any_holder(node, key_id)
    if holder is None:
        return own
    [answer] = await _ask(node, [holder], key_id, _distinct(own, known.records([*known.answers])))
    if isinstance(answer, BaseException):
        return own
    known.answers.clear()
    known.note(holder, answer)
    return _distinct(own, answer)


def _of_key(node: DHTNode, key_id: DHTID) -> _Remembered:
    return _remembered.setdefault(node, {}).setdefault(key_id, _Remembered())


async def _ask(
    node: DHTNode, peers: Iterable[PeerID], key_id: DHTID, known: Iterable[Record]
) -> list[list[Record] | BaseException]:
    """What each of them holds under the key, or why that is not known, in their order; all are told what is known."""
    return await asyncio.gather(*(ask_holder(node, peer, key_id, known) for peer in peers), return_exceptions=True)


def _distinct(*held: Iterable[Record]) -> list[Record]:
    return list(dict.fromkeys(chain.from_iterable(held)))[:MAX_VALUES]


def any_holder(node: DHTNode, key_id: DHTID, but: PeerID | None = None) -> PeerID | None:
    """One of `holders_of` the key ``but`` that one, by lot; ``None`` where there is none."""
    holders = [peer for peer in holders_of(node, key_id) if peer != but]
    return random.choice(holders) if holders else None


def holders_of(node: DHTNode, key_id: DHTID) -> list[PeerID]:
    """The peers that should hold the key, of those that we know, and that have answered lately."""
    return [peer for peer in _holders(node, key_id) if peer not in node.blacklist]


def _holders(node: DHTNode, key_id: DHTID, found: Mapping[DHTID, PeerID] | None = None) -> list[PeerID]:
    """The peers that should hold the key, of those that we know and a search has found; where we should, one fewer.

    Of the peers far from us, our routing table has some only: those nearest to the key need not be among them.
    """
    known = dict(node.protocol.routing_table.get_nearest_neighbors(key_id, node.num_replicas, exclude=node.node_id))
    known.update({uid: peer for uid, peer in (found or {}).items() if uid != node.node_id})
    nearest = [*known] + ([] if node.protocol.client_mode else [node.node_id])
    should = sorted(nearest, key=key_id.xor_distance)[: node.num_replicas]
    return [known[uid] for uid in should if uid in known]


async def _nearest(node: DHTNode, key_id: DHTID) -> dict[DHTID, PeerID]:
    """By node id, the peers that should hold the key by Kademlia's rule; in a small swarm, everybody we know.

    WORKAROUND H28: hivemind learns no neighbours from a peer whose value under the wanted key does not decode; so
    they are asked for an id right beside it, which nobody can guess and under which nothing is stored.
    """
    known = {uid: peer for peer, uid in node.protocol.routing_table.peer_id_to_uid.items()}
    if len(known) <= MAX_PEERS_ASKED // 2:
        return known
    beside = id_beside(key_id)
    nearest = await node.find_nearest_nodes([beside], k_nearest=MAX_PEERS_ASKED, exclude_self=True)
    return dict(nearest[beside])


def own_records(node: DHTNode, key_id: DHTID) -> list[Record]:
    """What our own node holds under the key."""
    held = [storage.get(key_id) for storage in (node.protocol.storage, node.protocol.cache)]
    return [record for item in held if item is not None for record in records_in(item.value)]
