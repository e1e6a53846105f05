"""A host that answers what cannot be, or nothing, and a trainer that asks it: ``FOLDER``. They say lines of JSON.

For each lie: what the trainer made of it, how long it waited, and whom it would ask for that expert next.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from hivemind.compression import serialize_torch_tensor
from hivemind.p2p import P2PContext
from hivemind.proto import runtime_pb2
from torch import Tensor

from core.worker.experts.block import ExpertId
from core.worker.experts.calls import ExpertInput
from core.worker.process import process_tree
from core.worker.swarm.experts.announcements import Hosted, announce, nobody
from core.worker.swarm.experts.caller import ExpertCaller
from core.worker.swarm.experts.directory import ExpertDirectory
from core.worker.swarm.experts.messages import ReplyHeader, reply
from core.worker.swarm.experts.p2p_thread import P2PThread
from core.worker.swarm.experts.quotas import HostLimits
from core.worker.swarm.experts.server import ExpertServer
from tests.support.peers.state_peers import entered, say

RUN_ID, HIDDEN, TOKENS = "experts", 8, 5
EXPERT = ExpertId(1, 0)
LISTEN = "/ip4/127.0.0.1/tcp/0"
NEVER_SECONDS = 60.0
HONEST = "nothing wrong"


def answered(tensor: Tensor) -> runtime_pb2.ExpertResponse:
    """That as an answer."""
    return reply(ReplyHeader(steps=1), tensor)


def pickled() -> runtime_pb2.ExpertResponse:
    """A tensor that says it is something else, and whose bytes are a pickle's."""
    packed = serialize_torch_tensor(torch.zeros(TOKENS, HIDDEN))
    packed.dtype, packed.buffer = "object", b"cos\nsystem\n(S'true'\ntR."
    return runtime_pb2.ExpertResponse(metadata=answered(torch.zeros(1, 1)).metadata, tensors=[packed])


LIES: dict[str, Callable[[], runtime_pb2.ExpertResponse]] = {
    HONEST: lambda: answered(torch.ones(TOKENS, HIDDEN)),
    "nan": lambda: answered(torch.full((TOKENS, HIDDEN), torch.nan)),
    "huge": lambda: answered(torch.full((TOKENS, HIDDEN), 3e38)),  # float32 ends at 3.4e38
    "wider": lambda: answered(torch.ones(TOKENS, HIDDEN + 1)),
    "fewer tokens": lambda: answered(torch.ones(TOKENS - 1, HIDDEN)),
    "two tensors": lambda: reply(ReplyHeader(steps=1), *[torch.ones(TOKENS, HIDDEN)] * 2),
    "no message": runtime_pb2.ExpertResponse,
    "pickle": pickled,
}
NEVER = "never"


class LyingServer(ExpertServer):
    """Answers each request with tokens by the present ``lie``."""

    lie = ""

    async def rpc_forward(self, request: runtime_pb2.ExpertRequest, context: P2PContext) -> runtime_pb2.ExpertResponse:
        if not request.tensors:  # a probe
            return reply(ReplyHeader("wrong"))
        if self.lie == NEVER:
            await asyncio.sleep(NEVER_SECONDS)
        return LIES[self.lie]()

    async def rpc_backward(self, request: runtime_pb2.ExpertRequest, context: P2PContext) -> runtime_pb2.ExpertResponse:
        return await self.rpc_forward(request, context)


LyingServer.__name__ = ExpertServer.__name__  # by which it is called


def main(folder: Path) -> None:
    """Tell one lie after another."""
    for name in ("host", "trainer"):
        (folder / name).mkdir(parents=True)
    host = entered(folder / "host", LISTEN, (), "direct")
    trainer = entered(folder / "trainer", LISTEN, [str(host.addresses()[0])], "client")
    thread = P2PThread(host.dht, "lying host")
    server = LyingServer({}, None, nobody, HostLimits(), lambda _: None)  # type: ignore[arg-type]
    thread.submit(server.add_p2p_handlers(thread.p2p, namespace=RUN_ID)).result(NEVER_SECONDS)
    caller, tokens = ExpertCaller(trainer, RUN_ID, [EXPERT], HIDDEN, nobody), torch.ones(TOKENS, HIDDEN)
    for lie in (*LIES, NEVER):
        for kind in ("forward", "backward"):
            is_used = False
            while not is_used:  # where the computer stands still, an honest answer may come too late, too
                server.lie, caller.directory = lie, ExpertDirectory()
                while caller.directory.host_of(EXPERT) is None:
                    announce(host.dht, host.identity, RUN_ID, Hosted({EXPERT: 1}))
                    caller.look()
                began = time.monotonic()
                if kind == "forward":
                    (answer,) = caller.forward([ExpertInput(EXPERT, tokens, None)])
                else:
                    (answer,) = caller.backward([ExpertInput(EXPERT, tokens, None, tokens)])
                seconds, next_host = time.monotonic() - began, caller.directory.host_of(EXPERT)
                is_used = answer is not None
                if lie != HONEST:
                    break
            say(lie=lie, kind=kind, is_used=is_used, seconds=seconds, is_asked_again=next_host is not None)
    say(done=True)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    process_tree.setup_fork_handling()
    torch.set_num_threads(1)
    main(Path(sys.argv[1]))
