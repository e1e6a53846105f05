"""Progress reports of peers that are not there, under as many keys: real peers go on stepping."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import DHTRecord
from hivemind.utils.crypto import RSAPrivateKey

from core.protocol.events import ContributionStatus, Progress, RoundFinished
from core.run.steering.rollback import swarm_id
from core.worker.swarm.trust.met_peers import PATIENCE_ROUNDS
from tests.bench.local_sgd.recorded_peers import RecordedPeer, RecordedPeers, paced_run
from tests.integration.local_sgd.together import assert_equal_base_weights, average_together
from tests.support.fault_injection import gave
from tests.support.peers.hivemind_peer import Record
from tests.support.peers.hostile_records import PlainPeer, stored
from tests.support.real_peers import RUN_ID

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]

RUN = paced_run(target_batch_size=1280, matchmaking_time=2.0, averaging_timeout=15.0)  # a round of four seconds
CROWD, LIFETIME_SECONDS, EVERY_SECONDS = 12, 60.0, 2.0
STEPS = 3
KEY = f"{swarm_id(RUN_ID, 'local-sgd', None)}_progress"


def signed(key: str, signer: RSASignatureValidator, value: object) -> Record:
    """A record of that owner, as hivemind's peers sign it."""
    name, expiration = stored(signer.local_public_key), time.time() + LIFETIME_SECONDS
    record = DHTRecord(DHTID.generate(source=key).to_bytes(), name, stored(value), expiration)
    return Record(key, signer.sign_value(record), signer.local_public_key, expiration)


@contextmanager
def crowd(log: Path, organiser: RecordedPeer) -> Iterator[None]:
    """Peers that are not there report that they are in the organiser's epoch, and compute nothing."""
    signers = [RSASignatureValidator(RSAPrivateKey()) for _ in range(CROWD)]
    over = threading.Event()

    def report(neighbour: PlainPeer) -> None:
        while not over.is_set():
            common = {"epoch": organiser.all(Progress)[-1].epoch, "samples_accumulated": 0, "samples_per_second": 0.0}
            values = (
                common | {"peer_id": b"\x12\x20" + bytes([number]) * 32, "time": time.time(), "client_mode": True}
                for number in range(CROWD)
            )
            neighbour.hold(*(signed(KEY, *each) for each in zip(signers, values, strict=True)))
            over.wait(EVERY_SECONDS)

    with PlainPeer(log, (organiser.posted,)) as neighbour:
        thread = threading.Thread(target=report, args=(neighbour,))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


@pytest.mark.faults
def test_two_go_on_stepping_among_a_crowd_that_only_reports_and_are_told_of_rounds_without_a_step(
    recorded: RecordedPeers, tmp_path: Path
) -> None:
    organiser = recorded.organiser(manifest=RUN)
    assert isinstance(organiser, RecordedPeer)
    volunteer = recorded.volunteer(organiser.posted, "volunteer", "client")
    average_together(organiser, volunteer, among=2)
    with crowd(tmp_path / "log", organiser):
        organiser.wait_for(Progress, lambda event: event.peers == 2 + CROWD)
        before, here = organiser.moves()[-1].steps, len(volunteer.said)
        while organiser.moves()[-1].steps < before + STEPS:
            for peer in (organiser, volunteer):
                peer.wait_for(RoundFinished, gave, since=len(peer.said))
        assert organiser.all(Progress)[-1].peers == 2 + CROWD, "the crowd is still there"
        told = volunteer.wait_for(ContributionStatus, lambda event: event.state == "without_step", since=here)
        assert str(told.reason).startswith(f"The last {PATIENCE_ROUNDS} rounds took no step"), told
        volunteer.wait_for(ContributionStatus, lambda event: event.state == "helping", since=volunteer.said.index(told))
    rounds = [event for event in volunteer.all(RoundFinished) if event.ok]
    assert {event.stepped for event in rounds} == {True, False}
    without_step = [str(event.reason) for event in rounds if not event.stepped]
    assert all(without_step) and any("only 2 of " in reason for reason in without_step), without_step
    assert_equal_base_weights(recorded)
