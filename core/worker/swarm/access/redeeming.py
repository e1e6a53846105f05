"""The RPC by which the holder of an invitation gets a ticket; both ends are in the DHT's process.

What is asked, answered and counted is in ``core/tickets/redemption.py``.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from hivemind.dht import DHT, DHTNode
from hivemind.p2p import P2PContext, PeerID, ServicerBase
from hivemind.proto import runtime_pb2

from core.run.steering.authority import RunAuthority
from core.security.identity import Identity
from core.tickets.redemption import Answer, RedemptionDesk, answer_in
from core.worker.swarm.dht.node import Swarm

ANSWER_SECONDS = 10.0
SLACK_SECONDS = 15.0  # for a computer that does much else

log = logging.getLogger(__name__)


class RedemptionServer(ServicerBase):
    """Answers whoever redeems an invitation of one run; plain hivemind peers have no such RPC."""

    def __init__(self, desk: RedemptionDesk) -> None:
        self._desk = desk

    async def rpc_redeem(self, request: runtime_pb2.ExpertRequest, context: P2PContext) -> runtime_pb2.ExpertResponse:
        """A ticket for the sender, or why there is none; the disk is waited for in another thread."""
        loop, sender = asyncio.get_running_loop(), context.remote_id.to_base58()
        answer = await loop.run_in_executor(None, self._desk.answer, request.metadata, sender, time.time())
        return runtime_pb2.ExpertResponse(metadata=answer)


def serve_redemptions(swarm: Swarm, authority: RunAuthority, run_id: str) -> None:
    """Sign tickets for those who redeem invitations to the run; we lead it, or are one of its keepers.

    A ticket that comes of an invitation counts once whoever has signed that has led the run.
    """
    path = swarm.folder / f"redeemed-{run_id}.json"
    named = authority.widest
    swarm.dht.run_coroutine(partial(_serve, identity=swarm.identity, authority=named, run_id=run_id, path=path))


def redeem(dht: DHT, run_id: str, signers: Sequence[str], request: bytes) -> Answer | None:
    """The first answer of a signer that is there, in their order; ``None`` where nobody answers. Blocks."""
    asking = dht.run_coroutine(
        partial(_redeem, run_id=run_id, signers=tuple(signers), request=request), return_future=True
    )
    try:
        answer: Answer | None = asking.result(len(signers) * ANSWER_SECONDS + SLACK_SECONDS)
    except TimeoutError:
        return None
    return answer


async def _serve(
    _dht: DHT, node: DHTNode, *, identity: Identity, authority: RunAuthority, run_id: str, path: Path
) -> None:
    desk = RedemptionDesk(identity, authority, run_id, path)
    await RedemptionServer(desk).add_p2p_handlers(node.protocol.p2p, namespace=run_id)


async def _redeem(_dht: DHT, node: DHTNode, *, run_id: str, signers: Sequence[str], request: bytes) -> Answer | None:
    answer = None
    for signer in signers:
        stub = RedemptionServer.get_stub(node.protocol.p2p, PeerID.from_base58(signer), namespace=run_id)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                response = await stub.rpc_redeem(runtime_pb2.ExpertRequest(metadata=request))
            answer = answer_in(response.metadata)
        except Exception as error:  # it is away, has no such RPC, or sends no answer
            log.info("%s redeems nothing: %r", signer, error)
            continue
        if answer.refusal != "busy":
            return answer
    return answer
