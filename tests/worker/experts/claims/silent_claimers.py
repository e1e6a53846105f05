"""Two peers that announce all experts and compute none, an honest host, and a trainer: ``FOLDER SECONDS``.

One of the two answers nothing, the other refuses everything. The host is a process of its own, forked from this one; it
asks again after so many seconds. They say lines of JSON: how many experts each of the three announces before the host
takes them over and after that, and then the loss of each step of the trainer.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import torch
import torch._dynamo  # which the first optimizer would import by itself, two seconds of a core
from hivemind.p2p import P2PContext
from hivemind.proto import runtime_pb2

from core.worker.experts.calls import ExpertInput
from core.worker.process import process_tree
from core.worker.swarm import Swarm
from core.worker.swarm.experts import claims
from core.worker.swarm.experts.announcements import Hosted, announce, announced_experts, nobody
from core.worker.swarm.experts.host import ANNOUNCE_SECONDS
from core.worker.swarm.experts.messages import ReplyHeader, reply
from core.worker.swarm.experts.p2p_thread import P2PThread
from core.worker.swarm.experts.quotas import HostLimits
from core.worker.swarm.experts.server import ExpertServer
from tests.support.forked.own_locks import make_own_locks
from tests.support.learning.entered_host import RUN_ID, entered_host
from tests.support.peers.state_peers import say
from tests.worker.experts.expert_peers import EXPERTS, LISTEN, SPEC, TRUNK, Trainer, Trunk, entered

STEPS_AHEAD = 99  # so that an untrained expert is worth less than what they announce
START_SECONDS = 60.0
LOOK_SECONDS = 0.5


class SilentServer(ExpertServer):
    """Answers no request."""

    async def rpc_forward(self, request: runtime_pb2.ExpertRequest, context: P2PContext) -> runtime_pb2.ExpertResponse:
        await asyncio.Event().wait()
        raise AssertionError

    async def rpc_backward(self, request: runtime_pb2.ExpertRequest, context: P2PContext) -> runtime_pb2.ExpertResponse:
        return await self.rpc_forward(request, context)


class RefusingServer(SilentServer):
    """Refuses every request, as a host that is asked too much."""

    async def rpc_forward(self, request: runtime_pb2.ExpertRequest, context: P2PContext) -> runtime_pb2.ExpertResponse:
        return reply(ReplyHeader("too many"))


for each in (SilentServer, RefusingServer):
    each.__name__ = ExpertServer.__name__  # by which it is called


def claim(swarm: Swarm, kind: type[ExpertServer]) -> None:
    """Answer as that kind does, and announce all experts for ever."""
    thread = P2PThread(swarm.dht, "claimer")
    server = kind({}, None, nobody, HostLimits(), lambda _: None)  # type: ignore[arg-type]
    thread.submit(server.add_p2p_handlers(thread.p2p, namespace=RUN_ID)).result(START_SECONDS)
    while True:
        announce(swarm.dht, swarm.identity, RUN_ID, Hosted(dict.fromkeys(EXPERTS, STEPS_AHEAD)))
        time.sleep(ANNOUNCE_SECONDS / 2)


def be_host(folder: Path, told: int) -> NoReturn:
    """Be an honest host once the claimers are there, until the end."""
    try:
        make_own_locks()
        with os.fdopen(told) as end:
            addresses = end.readline().split()
        _swarm, host = entered_host(folder, LISTEN, addresses, EXPERTS, TRUNK.hidden_size, SPEC)
        host.run()
    except BaseException:
        traceback.print_exc()
    os._exit(1)


def announced_counts(trainer: Trainer, claimers: Sequence[str]) -> list[int]:
    """How many experts each claimer announces, and last the host; of those who are there."""
    found = announced_experts(trainer.swarm.dht, RUN_ID, EXPERTS, nobody)
    return [len(found[peer].experts) for peer in sorted(found, key=lambda peer: peer not in claimers)]


def train(folder: Path, addresses: Sequence[str], claimers: Sequence[str]) -> None:
    """Say how many experts each has while the claimers are believed, and train once the host is asked for all."""
    trainer = Trainer(entered(folder, addresses, "client"), 1)
    began = time.monotonic()
    for of_host in (0, len(EXPERTS)):
        while (counts := announced_counts(trainer, claimers)) != [len(EXPERTS)] * len(claimers) + [of_host]:
            time.sleep(LOOK_SECONDS)
        say(counts=counts, seconds=time.monotonic() - began)
    directory, token = trainer.caller.directory, torch.ones(1, TRUNK.hidden_size)
    while not {directory.host_of(each) for each in EXPERTS}.isdisjoint((*claimers, None)):
        trainer.caller.forward([ExpertInput(EXPERTS[0], token, None)])  # one who refuses is left out after some time
        time.sleep(LOOK_SECONDS)
    trunk = Trunk([trainer])
    while True:
        trunk.step()


def main(folder: Path, retry_seconds: float) -> None:
    """Fork the host, then be the claimers and the trainer."""
    claims.RETRY_SECONDS = retry_seconds
    for name in ("host", "silent", "refusing", "trainer"):
        (folder / name).mkdir(parents=True)
    told, tell = os.pipe()
    if os.fork() == 0:
        be_host(folder / "host", told)
    first = entered(folder / "silent", (), "direct")
    addresses = [str(first.addresses()[0])]
    second = entered(folder / "refusing", addresses, "direct")
    for swarm, kind in ((first, SilentServer), (second, RefusingServer)):
        threading.Thread(target=claim, args=(swarm, kind), daemon=True).start()
    while len(announced_experts(first.dht, RUN_ID, EXPERTS, nobody)) < len(addresses) + 1:
        time.sleep(LOOK_SECONDS)
    os.write(tell, f"{addresses[0]}\n".encode())
    train(folder / "trainer", addresses, [first.peer_id, second.peer_id])


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    process_tree.setup_fork_handling()
    torch.set_num_threads(1)
    main(Path(sys.argv[1]), float(sys.argv[2]))
