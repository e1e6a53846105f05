"""Whom a run's leader has blocked stays blocked after a restart and after a takeover, until the successor lifts it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import time

import pytest
from hivemind.dht import DHT

from core.run.block_list import Block, BlockList, sign_blocks
from core.run.steering.authority import RunAuthority
from core.security.identity import Identity
from core.worker.swarm.dht.peer_values import dht_key
from core.worker.swarm.trust.block_lists import DHT_KIND, BlockListReader, kept_blocks_file

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("patient_reads")]

ORGANISER, SUCCESSOR, LIAR, HONEST = (Identity.create() for _ in range(4))
BEFORE = RunAuthority((ORGANISER.peer_id,), successors=(SUCCESSOR.peer_id,))
AFTER = RunAuthority((ORGANISER.peer_id, SUCCESSOR.peer_id), successors=(SUCCESSOR.peer_id,))
HOUR = 3600.0


@pytest.fixture
def dht() -> Iterator[DHT]:
    """A node of the DHT, alone."""
    node = DHT(host_maddrs=["/ip4/127.0.0.1/tcp/0"], start=True)
    yield node
    node.shutdown()


def blocking(revision: int, *peers: Identity) -> BlockList:
    """A list on which these are for an hour."""
    blocks = tuple(Block(peer_id=each.peer_id, until=time() + HOUR) for each in peers)
    return BlockList(run_id="run", revision=revision, blocks=blocks)


def lies_there(dht: DHT, blocks: BlockList, by: Identity, seconds: float) -> None:
    """Its signer has stored it, for so long."""
    signed, until = sign_blocks(blocks, by), time() + seconds
    assert dht.store(dht_key("run", DHT_KIND), subkey=by.peer_id, value=signed, expiration_time=until)


def test_the_organisers_list_holds_after_a_takeover_until_the_successor_signs_one_and_again_once_it_leads(
    dht: DHT,
) -> None:
    lies_there(dht, blocking(5, LIAR), ORGANISER, 60)
    reader = BlockListReader(dht, "run")
    assert reader.poll(BEFORE) == {LIAR.peer_id}
    lies_there(dht, blocking(0), SUCCESSOR, 60)
    assert reader.poll(AFTER) == {LIAR.peer_id}, "it has signed none yet"
    lies_there(dht, blocking(6, HONEST), SUCCESSOR, 90)
    lies_there(dht, blocking(9, LIAR), ORGANISER, 90)
    assert reader.poll(AFTER) == {HONEST.peer_id}, "nor does a newer one of who leads no longer count"
    assert reader.poll(BEFORE) == {LIAR.peer_id}


def test_who_comes_back_while_nobody_publishes_the_list_obeys_the_one_that_it_has_seen(
    dht: DHT, tmp_path: Path
) -> None:
    kept = kept_blocks_file(tmp_path, "run")
    lies_there(dht, blocking(5, LIAR), ORGANISER, 60)
    assert BlockListReader(dht, "run", kept).poll(BEFORE) == {LIAR.peer_id}
    alone = DHT(host_maddrs=["/ip4/127.0.0.1/tcp/0"], start=True)
    try:
        assert BlockListReader(alone, "run").poll(AFTER) == set()
        back = BlockListReader(alone, "run", kept)
        assert back.poll(RunAuthority()) == set(), "nobody knows yet who has led the run"
        assert back.poll(AFTER) == {LIAR.peer_id}
        kept.write_bytes(sign_blocks(blocking(6, HONEST), HONEST))
        assert BlockListReader(alone, "run", kept).poll(AFTER) == set(), "a stranger's"
    finally:
        alone.shutdown()
