"""In a closed run only those count, and are kept in the DHT, who have a ticket and sign with a key of their own."""

from __future__ import annotations

import pickle

from hivemind.dht.routing import DHTID
from hivemind.dht.validation import DHTRecord
from hivemind.p2p import PeerID
from hivemind.utils import MSGPackSerializer

from core.run.signed_receipts import key_hash
from core.run.steering.authority import RunAuthority
from core.security.identity import Identity
from core.tickets.admission import Admission, sign_admission
from core.tickets.ticket import Ticket, sign_ticket
from core.worker.swarm.access.admissions import admission_validator
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.patches.monotonic_clock import steady_time
from core.worker.swarm.trust.admitted_reports import admitted_reports

ADA, STRANGER = (PeerID(b"\x12\x20" + bytes([number]) * 32) for number in range(2))
ORGANISER, HOLDER = Identity.create(), Identity.create()


def report(peer: PeerID) -> PeerReport:
    """Of somebody who says to be that peer."""
    return PeerReport(peer, 5, 100, 100.0, 1.8e9, False)


def test_a_report_counts_if_the_peer_in_it_has_named_the_key_that_signs_it() -> None:
    reports = {b"ada": report(ADA), b"liar": report(ADA), b"stranger": report(STRANGER), b"own": report(STRANGER)}
    assert admitted_reports(reports, None, b"own") == reports
    assert admitted_reports(reports, {ADA: key_hash(b"ada")}, b"own").keys() == {b"ada", b"own"}
    assert admitted_reports(reports, {}, b"own").keys() == {b"own"}


def record(subkey: object, value: object, key: str = "sums_workerbee_admissions") -> DHTRecord:
    """A record as somebody asks us to keep it."""
    packed = MSGPackSerializer.dumps(subkey), MSGPackSerializer.dumps(value)
    return DHTRecord(DHTID.generate(source=key).to_bytes(), *packed, steady_time() + 60)


def test_no_room_of_ours_is_taken_by_admissions_without_a_ticket() -> None:
    until = steady_time() + 3600

    def shown(holder: Identity, until: float) -> bytes:
        ticket = Ticket(run_id="sums", organiser=ORGANISER.peer_id, holder=holder.peer_id, until=until)
        told = {"run_id": "sums", "organiser": ORGANISER.peer_id, "key": bytes(16), "at": 1.0}
        return sign_admission(Admission(**told, ticket=sign_ticket(ticket, ORGANISER)), HOLDER)  # type: ignore[arg-type]

    sent = pickle.dumps(admission_validator("sums", RunAuthority((ORGANISER.peer_id,))))  # to the DHT's process
    validator, good = pickle.loads(sent), shown(HOLDER, until)
    assert validator.validate(record(HOLDER.peer_id, good))
    assert validator.validate(record("anything", "at all", key="sums_progress"))
    for subkey, value in [
        (ORGANISER.peer_id, good),
        (HOLDER.peer_id, shown(ORGANISER, until)),
        (HOLDER.peer_id, shown(HOLDER, 1.0)),
        (HOLDER.peer_id, b""),
        (HOLDER.peer_id, 3),
        (3, good),
    ]:
        assert not validator.validate(record(subkey, value))
