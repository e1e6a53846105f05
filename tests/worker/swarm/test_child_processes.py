"""A process that a peer cannot do without is missed whenever it ends, not only while we train."""

from __future__ import annotations

from collections.abc import Iterator

import psutil
import pytest

from core.errors import ErrorKind
from core.protocol.events import Failed, RunFound
from tests.support.consents import consent_to
from tests.support.real_peers import Peer, PeerGroup, peer_group, survivors
from tests.support.worker_processes import averagers_of, dht_of

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def organiser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    """Somebody who publishes a run."""
    with peer_group(tmp_path_factory.mktemp("organiser")) as everybody:
        yield everybody.organiser()


def p2pd_of(worker: Peer) -> psutil.Process:
    return next(process for process in worker.family if process.name() == "p2pd")


def ends_with_a_reason(worker: Peer, *parts: str) -> None:
    """The worker fails because one of these processes has ended.

    An averager and the DHT process may die of each other's death within a poll of the watchdog: a call that is cut in
    the pipe between them is an EOFError, which hivemind's ``DHT.run`` does not catch.
    """
    failed = worker.wait_for(Failed)
    assert ErrorKind.from_key(failed.problem) is ErrorKind.WORKER_CRASHED
    assert str(failed.detail) in [f"{part} has ended." for part in parts]
    assert worker.ended() == 1
    assert survivors(worker) == []


def test_p2pd_is_missed_while_a_person_reads_what_was_found(organiser: Peer, group: PeerGroup) -> None:
    worker = group.cold.seeker(organiser.posted, "volunteer")
    p2pd_of(worker).kill()
    ends_with_a_reason(worker, "p2pd")


def test_the_dht_is_missed_while_the_model_is_built(organiser: Peer, group: PeerGroup) -> None:
    worker = group.cold.seeker(organiser.posted, "volunteer")
    dht = dht_of(psutil.Process(worker.process.pid))
    found = worker.wait_for(RunFound)
    worker.send(consent_to(found))
    dht.kill()
    ends_with_a_reason(worker, "The process of the DHT", "An averaging process")


def test_an_averager_is_missed_from_its_birth_on(organiser: Peer, group: PeerGroup) -> None:
    worker = group.cold.seeker(organiser.posted, "volunteer")
    worker_process = psutil.Process(worker.process.pid)
    found = worker.wait_for(RunFound)
    worker.send(consent_to(found))
    while not (born := averagers_of(worker_process)):
        assert worker.process.poll() is None
    born[0].kill()
    ends_with_a_reason(worker, "An averaging process", "The process of the DHT")
