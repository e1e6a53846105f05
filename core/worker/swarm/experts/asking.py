"""One request to the host of an expert; it may answer anything, which is checked."""

from __future__ import annotations

from hivemind.p2p import P2P, PeerID
from hivemind.proto import runtime_pb2
from torch import Tensor

from core.worker.experts.calls import ExpertInput
from core.worker.swarm.experts.messages import (
    CallHeader,
    Refusal,
    refuse_outsized,
    reply_header,
    request,
    tensors_in,
)
from core.worker.swarm.experts.server import ExpertServer


async def ask_host(p2p: P2P, run_id: str, host: str, asked: ExpertInput) -> Tensor | Refusal:
    """What that peer makes of the tokens, or their gradient if there is one; or why it refuses to.

    Raises ValueError for an answer that cannot be, and whatever the line and the other end do.
    """
    stub = ExpertServer.get_stub(p2p, PeerID.from_base58(host), namespace=run_id)
    tensors = [asked.tokens] if asked.gradient is None else [asked.tokens, asked.gradient]
    sent = request(CallHeader(*asked.expert, asked.seed), *tensors)
    call = stub.rpc_forward if asked.gradient is None else stub.rpc_backward
    response: runtime_pb2.ExpertResponse = await call(sent)
    header = reply_header(response)
    if header.refusal:
        return header.refusal
    (answer,) = tensors_in(list(response.tensors), 1, asked.tokens.shape[1])
    if answer.shape != asked.tokens.shape:
        raise ValueError(f"it answers {len(answer)} tokens of {len(asked.tokens)}")
    refuse_outsized(answer, asked)
    return answer
