"""What leaders, successors and keepers of a run sign, each under its peer id, as this peer stores it for others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hivemind.dht import DHT

from core.run.block_list import MAX_BLOCK_LIST_BYTES, blocks_order
from core.run.signed_findings import MAX_FINDINGS_BYTES, findings_order
from core.run.signed_receipts import MAX_RECEIPTS_BYTES, receipts_order
from core.run.signed_scores import MAX_SCORES_BYTES, scores_order
from core.run.steering.authority import MAX_HEARTBEAT_BYTES, heartbeat_order
from core.run.steering.control_value import MAX_CONTROL_BYTES, control_order
from core.worker.swarm.dht import evaluation_log, receipts
from core.worker.swarm.dht.peer_values import PeerValueValidator, dht_key, guard_values
from core.worker.swarm.trust import block_lists, control_values, findings, heartbeats

_OrderIn = Callable[[bytes, str, str], float | None]

_KINDS: tuple[tuple[str, int, _OrderIn], ...] = (
    (control_values.DHT_KIND, MAX_CONTROL_BYTES, control_order),
    (block_lists.DHT_KIND, MAX_BLOCK_LIST_BYTES, blocks_order),
    (heartbeats.DHT_KIND, MAX_HEARTBEAT_BYTES, heartbeat_order),
    (findings.DHT_KIND, MAX_FINDINGS_BYTES, findings_order),
    (evaluation_log.DHT_KIND, MAX_SCORES_BYTES, scores_order),
    (receipts.DHT_KIND, MAX_RECEIPTS_BYTES, receipts_order),
)


def signed_value_validators(run_id: str) -> tuple[PeerValueValidator, ...]:
    """Keep what the peer under whose id it stands has not signed for the run out of this peer's part of the DHT.

    What a later version has added to a value hinders nobody from storing it, as long as it is signed.
    """
    return tuple(
        PeerValueValidator(dht_key(run_id, kind), max_bytes, partial(_order_of, order_in=order_in, run_id=run_id))
        for kind, max_bytes, order_in in _KINDS
    )


def guard_signed_values(dht: DHT, run_id: str) -> None:
    """Store nothing else of these kinds from now on, and forget what else is there; call it before anything is read."""
    for validator in signed_value_validators(run_id):
        guard_values(dht, validator)


def _order_of(signer: str, encoded: bytes, order_in: _OrderIn, run_id: str) -> float | None:
    return order_in(encoded, signer, run_id)
