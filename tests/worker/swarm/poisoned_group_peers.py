"""Three averagers that look for one group, and a stranger who wants them to find none.

They say in lines of JSON how many peers each of their rounds had, or why it failed. The one argument is what the
stranger does: it puts "names" under the group's key that are no peers, is a "leader" whose groups have members that
cannot be, or that names a leader which is none, "redirects" everybody from itself to itself, asks everybody to be
let in as an "asker" of an epoch that nobody has come to, has a "plain" value stored over the group's dictionary, or
"erases" the others from it.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

import hivemind
from hivemind.dht import DHTNode
from hivemind.p2p import P2P, P2PContext, PeerID, ServicerBase
from hivemind.proto import averaging_pb2
from hivemind.utils import MSGPackSerializer

from core.worker.process.process_tree import setup_fork_handling
from core.worker.swarm import patches
from core.worker.swarm.aggregation.member_metadata import MemberMetadata
from core.worker.swarm.averaging.averagers import GradientAverager
from core.worker.swarm.dht.bounded_storage import bound_storage
from core.worker.swarm.dht.manifests import STORAGE_BOUNDS, STORAGE_ORDERS
from tests.support.peers.stale_round_peers import OPTIONS, PREFIX, averager, began, outcome, say

EPOCH = 4
ROUNDS = 4
SEARCH_SECONDS = 25.0
CLAIMED = 10**9
LONG_BYTES = 1_000_000  # whose base58 takes minutes
LONG_SECONDS = 3500.0
EARLY_SECONDS = 1.5  # before the honest ones: whoever ends first is asked to lead
PAUSE_SECONDS = 0.3

Answers = Sequence[averaging_pb2.MessageFromLeader]
Answer = Callable[[P2PContext], Answers]
Acting = threading.Event


def main(kind: str) -> None:
    """Some rounds of all three; two of them begin the first when the stranger acts already."""
    setup_fork_handling()
    patches.apply()
    nodes = [hivemind.DHT(**OPTIONS)]
    for _ in range(3):
        nodes.append(hivemind.DHT(initial_peers=nodes[0].get_visible_maddrs(), **OPTIONS))
    *honest, stranger = nodes
    for each in honest:
        each.run_coroutine(prepare)
    averagers = [averager(each) for each in honest]
    acting = Acting()
    threading.Thread(target=ACTS[kind], args=(stranger, averagers, acting), daemon=True).start()
    for epoch in range(EPOCH, EPOCH + ROUNDS):
        rounds = [began(averagers[0], epoch, SEARCH_SECONDS)]
        acting.wait()
        rounds += [began(each, epoch, SEARCH_SECONDS) for each in averagers[1:]]
        say(outcomes=[outcome(each) for each in rounds])


async def prepare(_dht: hivemind.DHT, node: DHTNode) -> None:
    """As a worker's node is."""
    bound_storage(node, STORAGE_BOUNDS, STORAGE_ORDERS)


def put_names(dht: hivemind.DHT, _averagers: Sequence[GradientAverager], acting: Acting) -> None:
    """Names of all kinds: a text, a number, an id that is none, and one that is too long."""
    while True:
        for subkey in ("abc", 7, b"nobody", bytes(10_000), ("a", 1)):
            declare(dht, subkey)
        acting.set()
        time.sleep(PAUSE_SECONDS)


def put_plain_value(dht: hivemind.DHT, _averagers: Sequence[GradientAverager], acting: Acting) -> None:
    """Have a plain value stored by all, itself included, that is to be there for an hour."""
    while True:
        dht.store(f"{PREFIX}.0b", value=True, expiration_time=time.time() + LONG_SECONDS)
        acting.set()
        time.sleep(PAUSE_SECONDS)


def erase(dht: hivemind.DHT, averagers: Sequence[GradientAverager], acting: Acting) -> None:
    """Have it stored that none of them looks for a group, for an hour."""
    until = time.time() + LONG_SECONDS
    while True:
        for each in averagers:
            subkey = each.peer_id.to_bytes()
            dht.store(f"{PREFIX}.0b", subkey=subkey, value=False, expiration_time=until, exclude_self=True)
        acting.set()
        time.sleep(PAUSE_SECONDS)


def lead(answers: Sequence[Answer], dht: hivemind.DHT, _averagers: Sequence[GradientAverager], acting: Acting) -> None:
    """Be there as a leader that answers each request with the next of these, again and again."""
    asyncio.run(serve(dht, itertools.cycle(answers), acting))


async def serve(dht: hivemind.DHT, answers: Any, acting: Acting) -> None:
    """The same, in a loop of its own."""
    p2p = await dht.replicate_p2p()
    servicer = StrangeLeader(answers)
    await servicer.add_p2p_handlers(p2p, namespace=PREFIX)
    while True:
        await asyncio.get_running_loop().run_in_executor(None, declare, dht, dht.peer_id.to_bytes())
        acting.set()
        await asyncio.sleep(PAUSE_SECONDS)


class StrangeLeader(ServicerBase):  # type: ignore[misc]  # hivemind publishes no types
    """It lets everybody in; then comes what it has."""

    def __init__(self, answers: Any) -> None:
        self._answers = answers

    async def rpc_join_group(
        self, request: averaging_pb2.JoinRequest, context: P2PContext
    ) -> AsyncIterator[averaging_pb2.MessageFromLeader]:
        yield averaging_pb2.MessageFromLeader(code=averaging_pb2.ACCEPTED)
        for answer in next(self._answers)(context):
            yield answer


StrangeLeader.__name__ = "GradientAverager"  # under which the others call it


def long_member(context: P2PContext) -> Answers:
    """A group of the one who asks, and one whose id has a megabyte."""
    members = [context.remote_id.to_bytes(), bytes(LONG_BYTES)]
    return [begun(members)]


def without_you(_context: P2PContext) -> Answers:
    """A group in which who asks is not."""
    return [begun([PeerID(b"\x12\x20" + bytes(32)).to_bytes()])]


def begun(members: Sequence[bytes]) -> averaging_pb2.MessageFromLeader:
    """A leader's message that a group of these has begun."""
    code, gathered = averaging_pb2.BEGIN_ALLREDUCE, [told(EPOCH)] * len(members)
    return averaging_pb2.MessageFromLeader(code=code, group_id=b"group", ordered_peer_ids=members, gathered=gathered)


def long_leader(_context: P2PContext) -> Answers:
    """No group; who asks is sent to a leader whose id has a megabyte."""
    return [averaging_pb2.MessageFromLeader(code=averaging_pb2.GROUP_DISBANDED, suggested_leader=bytes(LONG_BYTES))]


def itself(context: P2PContext) -> Answers:
    """No group; who asks is sent to the same leader once more."""
    mine = context.local_id.to_bytes()
    return [averaging_pb2.MessageFromLeader(code=averaging_pb2.GROUP_DISBANDED, suggested_leader=mine)]


def ask(dht: hivemind.DHT, averagers: Sequence[GradientAverager], acting: Acting) -> None:
    """Ask all of them to be let into a group of an epoch that nobody has come to."""
    asyncio.run(ask_all(dht, averagers, acting))


async def ask_all(dht: hivemind.DHT, averagers: Sequence[GradientAverager], acting: Acting) -> None:
    """The same, in a loop of its own."""
    p2p: P2P = await dht.replicate_p2p()
    request = averaging_pb2.JoinRequest(
        schema_hash=averagers[0].schema_hash,
        expiration=time.time() + 3600.0,
        gather=told(CLAIMED),
        group_key=f"{PREFIX}.0b",
    )
    while True:
        for each in averagers:
            stub = GradientAverager.get_stub(p2p, each.peer_id, namespace=PREFIX)
            async for answer in await stub.rpc_join_group(request):
                if answer.gathered:  # so it looks for a group
                    acting.set()
        await asyncio.sleep(PAUSE_SECONDS)


def told(epoch: int) -> bytes:
    """What a member of that epoch tells its group."""
    return MemberMetadata(None, 0, bytes(MSGPackSerializer.dumps((epoch, ()))), None).packed()


def declare(dht: hivemind.DHT, subkey: Any) -> None:
    """Put that under the group's key, as one who ends its search soon."""
    dht.store(f"{PREFIX}.0b", subkey=subkey, value=True, expiration_time=time.time() + EARLY_SECONDS)


ACTS: dict[str, Callable[..., None]] = {
    "names": put_names,
    "leader": partial(lead, (long_member, without_you, long_leader)),
    "redirects": partial(lead, (itself,)),
    "asker": ask,
    "plain": put_plain_value,
    "erases": erase,
}

if __name__ == "__main__":
    main(sys.argv[1])
