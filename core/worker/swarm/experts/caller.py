"""A trainer's end: ask the hosts of a layer's experts at the same time, and go on with those that answer in time."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
import time
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

import torch
from hivemind.p2p import PeerID
from hivemind.proto import runtime_pb2
from torch import Tensor

from core.worker.experts.block import ExpertId, ExpertShape
from core.worker.experts.calls import ExpertInput
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.experts.announcements import Hosted, IsPeer, announced_experts, guard_announcements
from core.worker.swarm.experts.asking import ask_host
from core.worker.swarm.experts.directory import ExpertDirectory
from core.worker.swarm.experts.handover import fetch_state, longest_seconds
from core.worker.swarm.experts.host import ExpertHost
from core.worker.swarm.experts.latency import AwakeTimeout
from core.worker.swarm.experts.messages import most_tokens, reply_header
from core.worker.swarm.experts.p2p_thread import P2PThread
from core.worker.swarm.experts.server import ExpertServer
from core.worker.swarm.experts.state_download import NoStateError, download_state
from core.worker.swarm.experts.traffic import AskedTokens, ExpertStanding

LOOK_SECONDS = 5.0  # from one look into the DHT to the next
PROBE_SECONDS = 10.0
_Kind = Literal["forward", "backward"]

log = logging.getLogger(__name__)


class ExpertCaller:
    """Reaches all ``experts`` of a run whose hidden state is ``hidden_size`` wide; `close` it before the swarm.

    It is an `ExpertCalls`: nothing that a host does raises, and no call lasts longer than the longest time-out. Experts
    of our ``own`` host are asked without the network, and nothing of who ``is_barred`` from the run. Who hosts what is
    looked up in `run`, in a thread of its own.
    """

    def __init__(
        self,
        swarm: Swarm,
        run_id: str,
        experts: Iterable[ExpertId],
        hidden_size: int,
        is_barred: IsPeer,
        own: ExpertHost | None = None,
    ) -> None:
        self._dht, self._run_id, self._hidden_size = swarm.dht, run_id, hidden_size
        self._experts, self._is_barred = frozenset(experts), is_barred
        self._peer_id, self._own, self._closing = swarm.peer_id, own, threading.Event()
        self.directory, self.asked = ExpertDirectory(), AskedTokens()
        self._announced: dict[str, Hosted] = {}
        if own is None:  # else it has done so, and announced itself since
            guard_announcements(swarm.dht, run_id)
        self._thread = P2PThread(swarm.dht, "expert-caller")
        self.look()

    def run(self) -> None:
        """Look again and again until `close`; raises whatever goes wrong meanwhile."""
        while not self._closing.wait(LOOK_SECONDS):
            try:
                self.look()
            except (TimeoutError, concurrent.futures.CancelledError):
                log.info("who hosts experts was not found out in time")

    def look(self) -> None:
        """Read in the DHT who hosts what, and probe those that are new or were away; blocks for some seconds."""
        known = self.directory.hosts()
        announced = announced_experts(self._dht, self._run_id, self._experts, self._is_barred, known)
        found = {host: frozenset(hosted.experts) for host, hosted in sorted(announced.items())}
        if self._own is not None:
            found[self._peer_id] = frozenset(self._own.experts)
        self._announced = announced
        self.directory.see(found, self._is_barred)
        self._thread.submit(self._probe_due()).result()

    def close(self) -> None:
        """End the thread that asks, and the looks into the DHT."""
        self._closing.set()
        self._thread.close()

    def available(self, layer: int) -> Collection[int]:
        """The numbers of the experts of that layer that can be asked at present."""
        return self.directory.available(layer)

    def standing(self, expert: ExpertId) -> ExpertStanding:
        """Who answers for that expert at present, and what is told of it."""
        if (host := self.directory.host_of(expert)) is None:
            return ExpertStanding()
        latency = self.directory.latency(host)
        if host == self._peer_id:
            held = self._own.experts.get(expert) if self._own is not None else None
            steps, tokens = (held.steps, held.trained_tokens) if held is not None else (0, 0)
            return ExpertStanding(host, True, steps, tokens, latency)
        told = self._announced.get(host, Hosted({}))
        return ExpertStanding(host, False, told.experts.get(expert, 0), told.tokens.get(expert, 0), latency)

    def forward(self, inputs: Sequence[ExpertInput]) -> list[Tensor | None]:
        """What each expert makes of its tokens; ``None`` where it has not answered in time."""
        return self._thread.submit(self._ask_all("forward", inputs)).result()

    def backward(self, inputs: Sequence[ExpertInput]) -> list[Tensor | None]:
        """The gradient of each expert's tokens; ``None`` where it has not answered in time."""
        return self._thread.submit(self._ask_all("backward", inputs)).result()

    def state_of(self, expert: ExpertId, shape: ExpertShape) -> dict[str, Tensor]:
        """The weights of that expert by their names, from its host; blocks. Raises NoStateError."""
        if (host := self.directory.host_of(expert)) is None:
            raise NoStateError("nobody hosts it")
        return self._thread.submit(download_state(self._thread.p2p, self._run_id, host, expert, shape)).result()

    def signed_state_of(self, expert: ExpertId, shape: ExpertShape) -> bytes:
        """That expert's file from its host, which has signed it; blocks. Raises NoStateError."""
        if (host := self.directory.host_of(expert)) is None:
            raise NoStateError("nobody hosts it")
        return self._thread.submit(self._signed_state(host, expert, shape)).result()

    async def _signed_state(self, host: str, expert: ExpertId, shape: ExpertShape) -> bytes:
        try:
            async with asyncio.timeout(longest_seconds(shape)):
                data, _steps = await fetch_state(self._thread.p2p, self._run_id, host, expert, shape)
        except TimeoutError as error:
            raise NoStateError("it takes too long") from error
        return data

    async def _ask_all(self, kind: _Kind, inputs: Sequence[ExpertInput]) -> list[Tensor | None]:
        answers = await asyncio.gather(*[self._ask(kind, each) for each in inputs])
        if kind == "forward":
            self.asked = self.asked.after(inputs, answers)
        return answers

    async def _ask(self, kind: _Kind, asked: ExpertInput) -> Tensor | None:
        """Ask one host, in several requests where there are many tokens; all of them have one time-out together."""
        if (host := self.directory.host_of(asked.expert)) is None:
            return None
        began, limit = time.monotonic(), AwakeTimeout(self.directory.timeout(host, kind))
        try:
            async with limit:
                parts = await asyncio.gather(*[self._ask_part(host, each) for each in pieces(asked)])
        except ValueError as error:
            log.warning("%s answers what cannot be: %s", host, error)
            self.directory.distrust(host)
            return None
        except Exception as error:  # the line and the other end may do anything
            log.info("%s does not answer: %r", host, error)
            self.directory.failed(host)
            return None
        answered = [part for part in parts if part is not None]
        if len(answered) < len(parts):
            self.directory.refused(host)
            return None
        self.directory.answered(host, kind, time.monotonic() - began - limit.stood_still)
        return torch.cat(answered)

    async def _ask_part(self, host: str, asked: ExpertInput) -> Tensor | None:
        """One request; ``None`` where the host refuses it. Raises ValueError for an answer that cannot be."""
        if self._own is not None and host == self._peer_id:
            return await asyncio.get_running_loop().run_in_executor(None, self._own.answer, asked)
        answer = await ask_host(self._thread.p2p, self._run_id, host, asked)
        if isinstance(answer, Tensor):
            return answer
        log.info("%s refuses a request for expert %s: %s", host, asked.expert, answer)
        if answer == "not hosted":
            self.directory.forget_claim(host, asked.expert)
        return None

    async def _probe_due(self) -> None:
        await asyncio.gather(*[self._probe(peer) for peer in self.directory.due_for_probe()])

    async def _probe(self, peer: str) -> None:
        """Send a request without any tokens, which a host refuses: so it is there, unless it does not let us in."""
        if peer == self._peer_id:
            self.directory.came_back(peer)
            return
        stub = ExpertServer.get_stub(self._thread.p2p, PeerID.from_base58(peer), namespace=self._run_id)
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                header = reply_header(await stub.rpc_forward(runtime_pb2.ExpertRequest()))
            if header.refusal == "not admitted":
                raise PermissionError(header.refusal)
        except Exception as error:  # the line and the other end may do anything
            log.info("%s announces experts and does not answer: %r", peer, error)
            self.directory.failed(peer)
        else:
            self.directory.came_back(peer)


def pieces(asked: ExpertInput) -> list[ExpertInput]:
    """The same as requests of which none is too long."""
    most = most_tokens(asked.tokens.shape[1])
    gradients = [None] * len(asked.tokens) if asked.gradient is None else torch.split(asked.gradient, most)
    return [
        ExpertInput(asked.expert, tokens, asked.seed, gradient)
        for tokens, gradient in zip(torch.split(asked.tokens, most), gradients, strict=False)
    ]
