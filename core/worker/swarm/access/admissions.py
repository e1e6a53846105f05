"""The admissions of a closed run in its DHT: each peer keeps its own there, and reads all of them.

What is signed, and how it is verified, is in ``core/tickets/admission.py``.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial

from hivemind.dht.crypto import RSASignatureValidator
from hivemind.p2p import PeerID
from hivemind.utils import MSGPackSerializer

from core.run.signed_receipts import key_hash
from core.run.steering.authority import RunAuthority
from core.tickets.admission import MAX_ADMISSION_BYTES, Admission, AdmissionBook, admission_in, sign_admission
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import PeerValueValidator, dht_key, guard_values, peer_values
from core.worker.swarm.dht.publisher import Publisher

DHT_KIND = "workerbee_admissions"  # of values, in the DHT key


def admission_validator(run_id: str, authority: RunAuthority) -> PeerValueValidator:
    """Keeps what no ticket allows out of this peer's part of the DHT, whoever takes the run over."""
    order_of = partial(_admitted_at, run_id=run_id, authority=authority.widest)
    return PeerValueValidator(dht_key(run_id, DHT_KIND), MAX_ADMISSION_BYTES, order_of)


class Admissions:
    """Our own admission to a closed run, published, and those of all others as they are found."""

    def __init__(self, swarm: Swarm, run_id: str, authority: RunAuthority) -> None:
        self._dht, self._run_id, self._identity = swarm.dht, run_id, swarm.identity
        self._own_key = key_hash(MSGPackSerializer.dumps(RSASignatureValidator(swarm.progress_key).local_public_key))
        self._book = AdmissionBook(run_id, authority)
        guard_values(swarm.dht, admission_validator(run_id, authority))

    def publisher(self, ticket: bytes) -> Publisher:
        """What keeps our admission in the DHT."""
        organiser = self._book.authority.organiser
        own = Admission(run_id=self._run_id, organiser=organiser, key=self._own_key, at=time.time(), ticket=ticket)
        peer_id = self._identity.peer_id
        return Publisher(self._dht, dht_key(self._run_id, DHT_KIND), peer_id, sign_admission(own, self._identity))

    def poll(self, authority: RunAuthority, blocked: frozenset[str]) -> Mapping[PeerID, bytes]:
        """Look for others; the keys' hashes of all who may take part at present, ourselves included, by peer."""
        self._book.know_authority(authority)
        found = peer_values(self._dht, dht_key(self._run_id, DHT_KIND), MAX_ADMISSION_BYTES, authority.signers)
        self._book.see(found)
        admitted = {**self._book.at(time.time(), blocked), self._identity.peer_id: self._own_key}
        return {PeerID.from_base58(peer): key for peer, key in admitted.items()}


def _admitted_at(holder: str, encoded: bytes, run_id: str, authority: RunAuthority) -> float | None:
    """When the holder has signed that admission; ``None`` for what is none, or has ended."""
    admitted = admission_in(encoded, holder, run_id, authority)
    return admitted.at if admitted is not None and admitted.until >= time.time() else None
