"""Nodes that know of conditional finds, and plain hivemind nodes, ask each other and find the same."""

from __future__ import annotations

import base64
import contextlib
import os
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from hivemind import DHT
from hivemind.dht import DHTNode
from hivemind.dht.routing import DHTID
from hivemind.proto import dht_pb2

from core.worker.swarm.conditional_finds.asking import ask_holder
from core.worker.swarm.conditional_finds.messages import Known, Record, attach
from core.worker.swarm.patches.monotonic_clock import steady_time
from tests.worker.progress.dht_nodes import answer_conditionally, answers, count_answers, patient_node

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

KEY, PEERS = "sums_progress", 10
KEY_ID = DHTID.generate(source=KEY)
ASKING_BYTES = 80  # of a request and its answer, beside what they say

Node = Callable[..., DHT]


def conditional_node(*others: DHT) -> DHT:
    """One of ours, in the DHT of those."""
    with pytest.MonkeyPatch.context() as patch:
        answer_conditionally(patch)  # until the node's process has been forked
        return plain_node(*others)


def plain_node(*others: DHT) -> DHT:
    """One of hivemind's, in the DHT of those."""
    return patient_node(others[0].get_visible_maddrs() if others else ())


@contextlib.contextmanager
def two_nodes(first: Node, second: Node) -> Iterator[tuple[DHT, DHT]]:
    """A holder, and who is to ask it."""
    with contextlib.ExitStack() as stack:
        holder = first()
        stack.callback(holder.shutdown)
        asking = second(holder)
        stack.callback(asking.shutdown)
        yield holder, asking


def report(number: int) -> dict[str, Any]:
    """As long as one peer's progress with its signature, and no two alike."""
    return {"samples": number, "signature": base64.b64encode(os.urandom(256)).decode()}


def store(holder: DHT, number: int, *, later: float = 0.0) -> None:
    """Have the holder hold a report of the peer with that number, whose key is as long as one of RSA."""
    name = random.Random(number).randbytes(186).hex()
    holder.run_coroutine(partial(_store, name=name, value=report(number), expires=steady_time() + 200.0 + later))


async def _store(_dht: DHT, node: DHTNode, name: str, value: Any, expires: float) -> None:
    assert node.protocol.storage.store_subkey(KEY_ID, name, node.protocol.serializer.dumps(value), expires)


async def _ask(_dht: DHT, node: DHTNode, holder: Any, known: list[Record]) -> list[Record]:
    return await ask_holder(node, holder, KEY_ID, known)


def ask(asking: DHT, holder: DHT, known: list[Record]) -> tuple[list[Record], int]:
    """What the holder holds, and how many bytes request and answer had."""
    asking.run_coroutine(count_answers)
    held = asking.run_coroutine(partial(_ask, holder=holder.peer_id, known=known))
    return held, asking.run_coroutine(answers)["bytes"]


def test_a_holder_sends_what_is_new_alone_and_who_asks_learns_all() -> None:
    with two_nodes(conditional_node, conditional_node) as (holder, asking):
        nothing, none_bytes = ask(asking, holder, [])
        assert nothing == [] and none_bytes < ASKING_BYTES, "no neighbours are sent"
        for number in range(PEERS):
            store(holder, number)
        first, first_bytes = ask(asking, holder, [])
        again, again_bytes = ask(asking, holder, first)
        assert len(first) == PEERS and again == first
        assert again_bytes < ASKING_BYTES + 8 + 10 * PEERS + 16
        store(holder, 3, later=1.0)
        changed, changed_bytes = ask(asking, holder, first)
        [new] = set(changed) - set(first)
        assert len(changed) == PEERS and new.subkey == first[3].subkey
        assert changed_bytes - again_bytes < 400 < first_bytes / PEERS, "its key is not sent again"


@pytest.mark.parametrize(("first", "second"), [(plain_node, conditional_node), (plain_node, plain_node)])
def test_a_plain_holder_sends_all_and_who_asks_learns_the_same(first: Node, second: Node) -> None:
    with two_nodes(first, second) as (holder, asking):
        for number in range(PEERS):
            store(holder, number)
        held, _ = ask(asking, holder, [])
        again, again_bytes = ask(asking, holder, held)
        assert len(held) == PEERS and again == held and again_bytes > 300 * PEERS


def test_hiveminds_own_looks_at_a_node_of_ours_find_all() -> None:
    with two_nodes(conditional_node, plain_node) as (holder, asking):
        for number in range(PEERS):
            store(holder, number)
        found = asking.get(KEY, latest=True)
        assert found is not None and sorted(each.value["samples"] for each in found.value.values()) == [*range(PEERS)]


async def _ask_nonsense(_dht: DHT, node: DHTNode, holder: Any, parts: list[bytes]) -> int:
    request = dht_pb2.FindRequest(keys=[KEY_ID.to_bytes()], peer=node.protocol.node_info)
    attach(request, parts)
    response = await node.protocol.get_stub(holder).rpc_find(request, timeout=node.protocol.wait_timeout)
    return int(response.results[0].type)


@pytest.mark.parametrize("parts", [[b"nonsense"], [b"", b""], [b"x" * 15]])
def test_a_request_with_nonsense_is_answered_as_a_plain_one(parts: list[bytes]) -> None:
    with two_nodes(conditional_node, conditional_node) as (holder, asking):
        store(holder, 1)
        told = asking.run_coroutine(partial(_ask_nonsense, holder=holder.peer_id, parts=parts))
        assert told == dht_pb2.FOUND_DICTIONARY


class _Liar:
    """In the place of what a holder answers: made-up bytes."""

    def __init__(self, answer: bytes) -> None:
        self.answered = answer

    def answer(self, _held: object) -> bytes:
        """The made-up bytes."""
        return self.answered


def lying_node(*others: DHT) -> DHT:
    """One of ours that answers nonsense."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Known, "parse", lambda _data: _Liar(b"\1nonsense"))
        return conditional_node(*others)


def test_a_holder_that_answers_nonsense_has_not_answered() -> None:
    with two_nodes(lying_node, conditional_node) as (holder, asking):
        store(holder, 1)
        with pytest.raises(ValueError, match="header"):
            ask(asking, holder, [])
