"""The receipts of a run in its DHT: each of its signers keeps one record there, and every peer looks for its own key.

What is signed, and how it is verified, is in ``core/run/signed_receipts.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hivemind.dht import DHT

from core.protocol.events import ReceiptSeen
from core.run.signed_receipts import MAX_RECEIPTS_BYTES, SampleReceipts, key_hash, receipts_in, sign_receipts
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.dht.peer_values import dht_key, values_of
from core.worker.swarm.dht.publisher import Publisher

DHT_KIND = "workerbee_receipts"  # of values, in the DHT key


def receipts_publisher(swarm: Swarm, receipts: SampleReceipts) -> Publisher:
    """What keeps our receipts in the DHT."""
    return Publisher(
        swarm.dht, dht_key(receipts.run_id, DHT_KIND), swarm.peer_id, sign_receipts(receipts, swarm.identity)
    )


def receipts_for(dht: DHT, run_id: str, signers: Sequence[str], own_subkey: bytes) -> Iterator[ReceiptSeen]:
    """The receipts that these peer ids have signed for us; ``own_subkey`` is that of our progress reports."""
    key = key_hash(own_subkey)
    for signer, record in values_of(dht, dht_key(run_id, DHT_KIND), signers, MAX_RECEIPTS_BYTES, ask="in turn"):
        signed = receipts_in(record, signer, run_id)
        receipt = signed.of(key) if signed is not None else None
        if receipt is not None:
            yield ReceiptSeen(
                run_id=run_id,
                signer=signer,
                key=key.hex(),
                samples=receipt.samples,
                epoch=receipt.epoch,
                record=record,
            )
