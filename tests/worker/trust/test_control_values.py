"""Of all control values that lie in the DHT, a peer obeys the newest that the organiser has signed, ever."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import time

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from hivemind.dht import DHT, DHTNode
from hivemind.dht.routing import DHTID
from hivemind.utils import MSGPackSerializer

from core.files.json_file import JsonFile
from core.run.steering.authority import RunAuthority
from core.run.steering.control_value import ControlValue, Order, sign_control
from core.run.steering.kept_control import kept_control_file
from core.security.identity import Identity
from core.worker.roles.steering.follower import POLL_SECONDS
from core.worker.swarm.dht.bounded_storage import bound_storage
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import dht_key
from core.worker.swarm.dht.publisher import Publisher
from core.worker.swarm.dht.reader import own_records
from core.worker.swarm.trust.control_values import DHT_KIND, ControlPublisher, ControlReader
from core.worker.swarm.trust.signed_values import guard_signed_values
from tests.worker.progress.dht_nodes import ANSWER_SECONDS, count_requests, dht_nodes, forget_key, requests

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("patient_reads")]

ORGANISER, STRANGER = Identity.create(), Identity.create()
HOLDERS = 5  # of a value, with hivemind's number of replicas
WITHIN_SECONDS = 50.0  # an order is to be obeyed within a minute
LED = RunAuthority((ORGANISER.peer_id,))
NOW = 2_000_000_000.0
PAUSED = ControlValue(run_id="run").ordered(Order(state="paused", since=NOW), NOW)
RESUMED = PAUSED.ordered(Order(since=NOW), NOW)


@pytest.fixture
def dht() -> Iterator[DHT]:
    """A node of the DHT, alone."""
    node = DHT(host_maddrs=["/ip4/127.0.0.1/tcp/0"], start=True)
    yield node
    node.shutdown()


def lies_there(dht: DHT, control: ControlValue, by: Identity, seconds: float) -> None:
    """Somebody has stored that under the organiser's name, for so long."""
    signed, until = sign_control(control, by), time() + seconds
    assert dht.store(dht_key("run", DHT_KIND), subkey=ORGANISER.peer_id, value=signed, expiration_time=until)


def test_a_forged_value_and_an_older_one_are_refused_also_after_a_restart(dht: DHT, tmp_path: Path) -> None:
    kept, newer = kept_control_file(tmp_path, "run"), list[bytes]()
    lies_there(dht, RESUMED, ORGANISER, 60)
    assert ControlReader(dht, "run", LED, kept, lambda _signer, signed: newer.append(signed)).poll() == RESUMED
    assert newer == [sign_control(RESUMED, ORGANISER)]
    for older_or_forged, by, seconds in (
        (PAUSED, ORGANISER, 90),
        (RESUMED.ordered(Order(state="ended"), NOW), STRANGER, 120),
    ):
        lies_there(dht, older_or_forged, by, seconds)
        restarted = ControlReader(dht, "run", LED, kept)
        assert restarted.poll() == RESUMED
    assert ControlReader(dht, "run", LED).poll() == ControlValue(run_id="run"), "only forged ones there"


def test_one_honest_holder_is_enough_at_once_and_later_within_fifty_seconds() -> None:
    """The leader is away, and four of the five who hold its control value withhold it from a volunteer."""
    with dht_nodes(HOLDERS) as nodes:
        honest, *withholding = nodes
        here = ["/ip4/127.0.0.1/tcp/0"]
        posted = honest.get_visible_maddrs()
        volunteer = DHT(posted, host_maddrs=here, client_mode=True, wait_timeout=ANSWER_SECONDS, start=True)
        try:
            lies_there(honest, PAUSED, ORGANISER, 600)
            for each in withholding:
                each.run_coroutine(partial(forget_key, key=dht_key("run", DHT_KIND)))
            reader = ControlReader(volunteer, "run", LED)
            assert reader.poll() == PAUSED, "the first look asks everybody"
            reader.poll()
            lies_there(honest, RESUMED, ORGANISER, 700)
            for each in withholding:
                each.run_coroutine(partial(forget_key, key=dht_key("run", DHT_KIND)))
            volunteer.run_coroutine(count_requests)
            looks = 1 + next(number for number in range(2 * HOLDERS) if reader.poll() == RESUMED)
            assert looks * POLL_SECONDS <= WITHIN_SECONDS
            assert volunteer.run_coroutine(requests) < looks * HOLDERS, "the leader and one holder at each look"
        finally:
            volunteer.shutdown()


async def as_in_a_worker(_dht: DHT, node: DHTNode) -> None:
    """It stores for others what a worker's node does."""
    bound_storage(node, {})


async def held(_dht: DHT, node: DHTNode, key_id: DHTID) -> list[bytes]:
    """What that node holds under the key."""
    return [MSGPackSerializer.loads(record.value) for record in own_records(node, key_id)]


@pytest.mark.parametrize("stored_first", [b"junk", sign_control(PAUSED, ORGANISER)], ids=["junk", "an older value"])
def test_who_was_there_first_silences_no_organiser(stored_first: bytes) -> None:
    """At its own node, nor at who holds its value for it: a stranger has something stored there for an hour."""
    key, signed = dht_key("run", DHT_KIND), sign_control(RESUMED, ORGANISER)
    with dht_nodes(3) as (organiser, holder, stranger):
        for each in (organiser, holder):
            each.run_coroutine(as_in_a_worker)
        store = partial(stranger.store, key, subkey=ORGANISER.peer_id, value=stored_first, exclude_self=True)
        store(expiration_time=time() + 3500)
        for each in (organiser, holder):
            guard_signed_values(each, "run")
        store(expiration_time=time() + 630)
        Publisher(organiser, key, ORGANISER.peer_id, signed).start(lambda _name, _run: None)
        for seconds in (640, 3500):
            store(expiration_time=time() + seconds)
        for each in (organiser, holder):
            assert each.run_coroutine(partial(held, key_id=DHTID.generate(source=key))) == [signed]


def test_an_organiser_takes_what_its_commands_write_and_goes_on_from_that_after_a_restart(
    dht: DHT, tmp_path: Path
) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    swarm = Swarm(dht, ORGANISER, key, "direct", (), tmp_path)
    file = JsonFile[ControlValue](tmp_path / "control.json", ControlValue)

    def publisher() -> ControlPublisher:
        return ControlPublisher(swarm, "run", file.path, lambda control: control)

    first = publisher()
    assert first.poll().number == 0
    file.write(PAUSED)
    assert first.poll() == PAUSED
    file.path.unlink()
    restarted = publisher()
    assert restarted.poll() == PAUSED
    file.write(ControlValue(run_id="run", number=PAUSED.number - 1))
    assert restarted.poll() == PAUSED, "an older file changes nothing"


def test_what_its_publisher_learns_later_is_signed_under_the_next_number_and_kept(dht: DHT, tmp_path: Path) -> None:
    """As the epoch of a change whose data had to be opened before."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    swarm = Swarm(dht, ORGANISER, key, "direct", (), tmp_path)
    file = JsonFile[ControlValue](tmp_path / "control.json", ControlValue)
    known = list[str]()

    def completed(control: ControlValue) -> ControlValue:
        return msgspec.structs.replace(control, notice="".join(known))

    publisher = ControlPublisher(swarm, "run", file.path, completed)
    file.write(PAUSED)
    assert publisher.poll() == PAUSED and publisher.poll().number == PAUSED.number
    known.append("It is there.")
    later = msgspec.structs.replace(PAUSED, number=PAUSED.number + 1, notice="It is there.")
    assert publisher.poll() == later and publisher.poll() == later
    file.path.unlink()
    assert ControlPublisher(swarm, "run", file.path, lambda control: control).poll() == later, "after a restart, too"
