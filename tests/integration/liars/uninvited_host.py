"""A host of experts that was not invited: ``FOLDER ADDRESS``. It claims all of the run's, and asks others for theirs.

It says in lines of JSON why it is refused an expert's state and an answer, and how often it was asked for anything.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path

import msgspec
import torch
from hivemind.p2p import P2PContext, PeerID
from hivemind.proto import runtime_pb2

from core.run.manifest import RunManifest
from core.run.spec.recipe import MoeLM
from core.worker.experts.block import ExpertId, ExpertShape
from core.worker.process import process_tree
from core.worker.recipes.mixture_model import experts_in
from core.worker.swarm.experts.announcements import Hosted, announce, announced_experts, guard_announcements, nobody
from core.worker.swarm.experts.handover import fetch_state
from core.worker.swarm.experts.messages import CallHeader, ReplyHeader, reply, reply_header, request
from core.worker.swarm.experts.p2p_thread import P2PThread
from core.worker.swarm.experts.quotas import HostLimits
from core.worker.swarm.experts.server import ExpertServer
from core.worker.swarm.experts.state_download import NoStateError
from tests.support.peers.state_peers import entered, say

STEPS = 10**6  # more than any honest host has taken
START_SECONDS = 60.0


class AskedServer(ExpertServer):
    """Counts those who ask it."""

    asked = 0

    async def rpc_forward(self, request: runtime_pb2.ExpertRequest, context: P2PContext) -> runtime_pb2.ExpertResponse:
        self.asked += 1
        return reply(ReplyHeader("wrong"))


AskedServer.__name__ = ExpertServer.__name__  # by which it is called


def main(folder: Path, address: str) -> None:
    """Until it is killed."""
    manifest = msgspec.json.decode((folder / "manifest.json").read_bytes(), type=RunManifest)
    assert isinstance(manifest.recipe, MoeLM)
    run_id, experts, width = manifest.run.id, list(experts_in(manifest.recipe)), manifest.recipe.config.hidden_size
    swarm = entered(folder, "/ip4/127.0.0.1/tcp/0", [address], "direct")
    guard_announcements(swarm.dht, run_id)
    thread = P2PThread(swarm.dht, "uninvited host")
    server = AskedServer({}, None, nobody, HostLimits(), lambda _: None)  # type: ignore[arg-type]
    thread.submit(server.add_p2p_handlers(thread.p2p, namespace=run_id)).result(START_SECONDS)
    shape = ExpertShape.of(manifest.recipe.experts, width)
    while True:
        announce(swarm.dht, swarm.identity, run_id, Hosted(dict.fromkeys(experts, STEPS)))
        for host, hosted in announced_experts(swarm.dht, run_id, experts, nobody).items():
            for expert in [] if host == swarm.peer_id else hosted.experts:
                try:
                    told = [
                        state_of(thread, run_id, host, expert, shape),
                        answer_of(thread, run_id, host, expert, width),
                    ]
                except Exception as error:  # a line that is cut says nothing of who is let in
                    say(failed=repr(error))
                else:
                    say(host=host, told=told)
        say(asked=server.asked)
        time.sleep(1.0)


def state_of(thread: P2PThread, run_id: str, host: str, expert: ExpertId, shape: ExpertShape) -> str:
    """Why that host refuses an expert's state; empty if it does not."""
    try:
        thread.submit(fetch_state(thread.p2p, run_id, host, expert, shape)).result(START_SECONDS)
    except NoStateError as error:
        return str(error)
    return ""


def answer_of(thread: P2PThread, run_id: str, host: str, expert: ExpertId, width: int) -> str:
    """Why that host refuses to compute; empty if it does not."""
    stub = ExpertServer.get_stub(thread.p2p, PeerID.from_base58(host), namespace=run_id)
    call = stub.rpc_forward(request(CallHeader(*expert), torch.ones(1, width)))
    refusal: str = reply_header(thread.submit(call).result(START_SECONDS)).refusal
    return refusal


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    process_tree.setup_fork_handling()
    torch.set_num_threads(1)
    main(Path(sys.argv[1]), sys.argv[2])
