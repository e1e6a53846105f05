"""The admissions of a closed run in its DHT: each peer keeps its own there, and reads all of them.

What is signed, and how it is verified, is in ``core/tickets/admission.py``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from hivemind.dht import DHT
from hivemind.dht.crypto import RSASignatureValidator
from hivemind.dht.routing import DHTID
from hivemind.dht.validation import DHTRecord, RecordValidatorBase
from hivemind.p2p import PeerID
from hivemind.utils import MSGPackSerializer

from core.run.signed_receipts import key_hash
from core.run.steering.authority import RunAuthority
from core.tickets.admission import MAX_ADMISSION_BYTES, Admission, AdmissionBook, admission_in, sign_admission
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import dht_key, peer_value
from core.worker.swarm.dht.publisher import Publisher
from core.worker.swarm.dht.reader import forget, read_dictionary

DHT_KIND = "workerbee_admissions"  # of values, in the DHT key


class AdmissionValidator(RecordValidatorBase):
    """Keeps what no ticket allows out of this peer's part of the DHT, so that it does not take the others' room."""

    def __init__(self, run_id: str, authority: RunAuthority) -> None:
        self._run_id, self._authority = run_id, authority.widest  # it stays as it is when somebody takes over
        self._key_id = DHTID.generate(source=dht_key(run_id, DHT_KIND)).to_bytes()

    def validate(self, record: DHTRecord) -> bool:
        """Whether the record may be stored; what records under other keys say is none of our business."""
        if record.key != self._key_id:
            return True
        if (found := peer_value(record, MAX_ADMISSION_BYTES)) is None:
            return False
        holder, encoded = found
        admitted = admission_in(encoded, holder, self._run_id, self._authority)
        return admitted is not None and admitted.until >= time.time()

    def merge_with(self, other: RecordValidatorBase) -> bool:
        """Whether the other one is of the same run: one of them is enough."""
        return isinstance(other, AdmissionValidator) and other._key_id == self._key_id


class Admissions:
    """Our own admission to a closed run, published, and those of all others as they are found."""

    def __init__(self, swarm: Swarm, run_id: str, authority: RunAuthority) -> None:
        self._dht, self._run_id, self._identity = swarm.dht, run_id, swarm.identity
        self._own_key = key_hash(MSGPackSerializer.dumps(RSASignatureValidator(swarm.progress_key).local_public_key))
        self._book = AdmissionBook(run_id, authority)
        swarm.dht.add_validators([AdmissionValidator(run_id, authority)])
        forget(swarm.dht, dht_key(run_id, DHT_KIND))

    def publisher(self, ticket: bytes) -> Publisher:
        """What keeps our admission in the DHT."""
        organiser = self._book.authority.organiser
        own = Admission(run_id=self._run_id, organiser=organiser, key=self._own_key, at=time.time(), ticket=ticket)
        peer_id = self._identity.peer_id
        return Publisher(self._dht, dht_key(self._run_id, DHT_KIND), peer_id, sign_admission(own, self._identity))

    def poll(self, authority: RunAuthority, blocked: frozenset[str]) -> Mapping[PeerID, bytes]:
        """Look for others; the keys' hashes of all who may take part at present, ourselves included, by peer."""
        self._book.know_authority(authority)
        self._book.see(_read(self._dht, self._run_id, authority.signers))
        admitted = {**self._book.at(time.time(), blocked), self._identity.peer_id: self._own_key}
        return {PeerID.from_base58(peer): key for peer, key in admitted.items()}


def _read(dht: DHT, run_id: str, also_ask: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    for record in read_dictionary(dht, dht_key(run_id, DHT_KIND), also_ask):
        if (found := peer_value(record, MAX_ADMISSION_BYTES)) is not None:
            yield found
