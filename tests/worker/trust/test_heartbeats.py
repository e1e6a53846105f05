"""Who leads a run is read from the DHT: what others have stored there counts for nothing, and what was seen is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import time

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from hivemind.dht import DHT, DHTNode

from core.run.manifest import SuccessionSpec
from core.run.steering.authority import Heartbeat, sign_heartbeat
from core.security.identity import Identity
from core.worker.swarm.dht.bounded_storage import bound_storage
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import dht_key
from core.worker.swarm.trust.heartbeats import DHT_KIND, AuthorityReader, HeartbeatPublisher
from tests.support.real_peers import RUN_ID, tiny

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("patient_reads")]

ORGANISER, SUCCESSOR, STRANGER = Identity.create(), Identity.create(), Identity.create()
SILENCE = 100
RUN = msgspec.structs.replace(tiny(), succession=SuccessionSpec(keys=(SUCCESSOR.peer_id,), after_seconds=SILENCE))


@pytest.fixture
def dht() -> Iterator[DHT]:
    """A node of the DHT, alone."""
    node = DHT(host_maddrs=["/ip4/127.0.0.1/tcp/0"], start=True)
    node.run_coroutine(_bounded)
    yield node
    node.shutdown()


async def _bounded(_dht: DHT, node: DHTNode) -> None:
    bound_storage(node, {})


def lies_there(dht: DHT, heartbeat: Heartbeat, under: Identity, by: Identity, seconds: float) -> None:
    """Somebody has stored that under that name, for so long."""
    signed, until = sign_heartbeat(heartbeat, by), time() + seconds
    assert dht.store(dht_key(RUN_ID, DHT_KIND), subkey=under.peer_id, value=signed, expiration_time=until)


def swarm_of(dht: DHT, identity: Identity, folder: Path) -> Swarm:
    """Its node, with files in that folder."""
    folder.mkdir(exist_ok=True)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return Swarm(dht, identity, key, "direct", (), folder)


def test_a_forged_takeover_a_premature_one_and_an_older_heartbeat_change_nothing_also_after_a_restart(
    dht: DHT, tmp_path: Path
) -> None:
    now, seen = time(), list[str]()
    claim = Heartbeat(run_id=RUN_ID, since=now, at=now, taken_over=now)
    there = Heartbeat(run_id=RUN_ID, since=now - 1000, at=now - 1)
    lies_there(dht, there, ORGANISER, ORGANISER, 60)
    lies_there(dht, claim, SUCCESSOR, STRANGER, 60)

    def leader(folder: Path | None = tmp_path) -> str:
        reader = AuthorityReader(dht, RUN_ID, folder, lambda signer, _signed: seen.append(signer))
        return reader.poll(RUN, ORGANISER.peer_id).leader

    assert leader() == ORGANISER.peer_id and seen == [ORGANISER.peer_id], "a stranger has signed it"
    lies_there(dht, claim, SUCCESSOR, SUCCESSOR, 90)
    assert leader() == ORGANISER.peer_id, "the organiser was there a second ago"
    lies_there(dht, msgspec.structs.replace(there, at=now - 2 * SILENCE), ORGANISER, ORGANISER, 120)
    assert leader() == ORGANISER.peer_id, "an older word, shown again"
    assert leader(None) == SUCCESSOR.peer_id, "to who has not heard of the newer one"
    silent = msgspec.structs.replace(claim, at=now + 9, taken_over=now + 9)
    lies_there(dht, silent, SUCCESSOR, SUCCESSOR, 150)
    assert leader() == ORGANISER.peer_id


def test_a_successor_that_is_restarted_leads_on_since_it_took_over_whatever_the_organiser_signs_then(
    dht: DHT, tmp_path: Path
) -> None:
    told = list[Heartbeat]()
    for takes_over in (True, False):
        publish(swarm_of(dht, SUCCESSOR, tmp_path / "successor"), takes_over=takes_over)
        reader = AuthorityReader(dht, RUN_ID)
        assert reader.poll(RUN, ORGANISER.peer_id).leader == SUCCESSOR.peer_id
        told.append(reader.heartbeats[SUCCESSOR.peer_id])
    first, restarted = told
    assert first.taken_over == first.since == restarted.since == restarted.taken_over > 0
    assert restarted.at > first.at
    publish(swarm_of(dht, ORGANISER, tmp_path / "organiser"), takes_over=False)
    assert AuthorityReader(dht, RUN_ID).poll(RUN, ORGANISER.peer_id).leader == SUCCESSOR.peer_id


def publish(swarm: Swarm, *, takes_over: bool) -> None:
    """It says once that it is there."""
    HeartbeatPublisher(swarm, RUN_ID, SILENCE, takes_over=takes_over).start(lambda _name, _run: None)
