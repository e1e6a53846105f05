"""Members of a run and a newcomer, without a network: each stands for an averager's process that nobody has forked."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, AsyncIterator, cast  # noqa: UP035 - hivemind reads this very annotation

import torch
from hivemind.compression import serialize_torch_tensor
from hivemind.p2p import P2PContext, PeerID
from hivemind.proto import averaging_pb2
from hivemind.utils import MSGPackSerializer
from torch import Tensor

from core.worker.compute.optimizers import parameters_of
from core.worker.swarm.averaging.state_validation import State
from core.worker.swarm.local_sgd.averagers import BaseWeightsAverager
from core.worker.swarm.local_sgd.catch_up import MIRROR, CatchUp
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.frozen_state import FrozenState
from core.worker.swarm.local_sgd.outer_optimizer import MOMENTUM, OuterNesterov
from core.worker.swarm.local_sgd.round_log import RoundLog
from core.worker.swarm.local_sgd.state_donor import MAX_ROUND_DOWNLOADS
from core.worker.swarm.state_parts.arrivals import Arrivals
from core.worker.swarm.state_parts.slots import Slots

SHAPES = (20, 30), (7,)
LENGTHS = [600, 7]
CODEC = codec("int8")
OUTER = partial(OuterNesterov, lr=0.7, momentum=0.9)
EPOCH = 12


class Donor(CatchUp):
    """A member of the run, with its log of rounds; those of one ``seed`` have taken the same rounds."""

    _parent_pid = 0  # nothing was forked
    allow_state_sharing = True
    state_sharing_priority = float(EPOCH)
    whole_states = 0
    """How often it was asked for all of its state at once."""

    def __init__(self, folder: Path, seed: int = 1) -> None:
        self._round_log = RoundLog(folder)
        self._slots, self._round_slots = Slots(), Slots(MAX_ROUND_DOWNLOADS)
        self._frozen = FrozenState(self._round_log)
        self._random = torch.Generator().manual_seed(seed)
        self.weights = [torch.nn.Parameter(torch.randn(shape, generator=self._random)) for shape in SHAPES]
        self.steps = torch.zeros(1)
        self.outer = OUTER(self.weights, outer_steps=self.steps)
        self._round_log.end_at(self.outer.version())

    def take_rounds(self, rounds: int) -> None:
        """Average so many times with somebody."""
        for _ in range(rounds):
            before = self.outer.version()
            encoded = [CODEC.encode(torch.randn(length, generator=self._random)) for length in LENGTHS]
            self._round_log.write(LENGTHS, encoded)
            average = torch.cat([CODEC.decode(part, length) for part, length in zip(encoded, LENGTHS, strict=True)])
            for weights, part in zip(self.weights, torch.split(average, [600, 7]), strict=True):
                weights.grad = part.view(weights.shape)
            self.outer.step()
            self._round_log.advance(before, self.outer.version())

    def state(self) -> list[Tensor]:
        """A copy of what a newcomer downloads."""
        velocities = [self.outer.state[weights][MOMENTUM] for weights in self.weights]
        return [each.detach().clone() for each in (*self.weights, self.steps, *velocities)]

    async def _get_current_state_from_host_process(self) -> Any:
        return MSGPackSerializer.dumps({"epoch": EPOCH}), self.state(), []

    async def rpc_download_state(
        self, request: averaging_pb2.DownloadRequest, context: P2PContext
    ) -> AsyncIterator[averaging_pb2.DownloadData]:
        """Send the whole state."""
        self.whole_states += 1
        told = MSGPackSerializer.dumps({"epoch": EPOCH, MIRROR: "used"})
        for number, tensor in enumerate(self.state()):
            part = serialize_torch_tensor(tensor)
            yield averaging_pb2.DownloadData(tensor_part=part, metadata=b"" if number else told)


class Newcomer(CatchUp):
    """A peer with untrained weights, whose stubs of donors are the donors themselves; in parts only with a folder."""

    _parent_pid = 0  # nothing was forked
    next_chunk_timeout = 10.0
    serializer = MSGPackSerializer
    prefix = "run"
    _p2p = None
    peer_id = PeerID(b"newcomer")

    def __init__(self, untrained: list[Tensor], *donors: Donor, downloads: Path | None = None) -> None:
        self._untrained, self._downloads, self._organiser = untrained, downloads or Path(), ""
        self._takes_parts = downloads is not None
        self.donors = {PeerID(b"\x12\x20" + bytes([number]) * 32): donor for number, donor in enumerate(donors)}
        self._codec, self._outer, self._mirrored = CODEC, OUTER, None
        self.arrivals = Arrivals()

    async def _get_current_state_from_host_process(self) -> Any:
        return self.serializer.dumps({"epoch": 0}), self._untrained, []

    async def _assembled(self, *args: Any) -> State | None:
        return await super()._assembled(*args) if self._takes_parts else None

    async def _donors(self) -> dict[PeerID, tuple[float, float]]:
        return {peer_id: (float(EPOCH), -number) for number, peer_id in enumerate(self.donors)}

    def get_stub(self, _p2p: Any, peer: PeerID, **_: Any) -> Any:
        """The donor's methods, without a network between."""
        donor, context = self.donors[peer], cast(P2PContext, SimpleNamespace(remote_id=self))

        def called(method: Callable[..., Any]) -> Any:
            async def stream(request: Any) -> Any:
                return method(request, context)

            return stream

        names = "rpc_missed_rounds", "rpc_download_state", "rpc_state_parts"
        return SimpleNamespace(**{name: called(getattr(donor, name)) for name in names})

    def answer(self, *unwanted: PeerID) -> tuple[PeerID, State | None] | None:
        """Whom it names, and the state that it gets, if those are not asked."""
        future: Future[Any] = Future()
        asyncio.run(asyncio.wait_for(self._fetch_state(cast(Any, future), unwanted, 10**6), 60.0))
        answer: tuple[PeerID, State | None] | None = future.result(0)
        return answer

    def download(self, mirrored: Path | None = None) -> State:
        """The state that it gets of the first donor, and of the others in parts."""
        self._mirrored = mirrored
        (peer, donor), *_ = self.donors.items()
        state = asyncio.run(self._download(peer, 10**6))
        assert state is not None
        assert all(map(torch.equal, state[1], donor.state()))  # whatever the mirror was
        assert state[0]["epoch"] == EPOCH
        return state


class WithoutProcess(BaseWeightsAverager):
    """The worker's half of an averager, with that state; nobody has forked the other half."""

    _parent_pid = 0
    lock_averaged_tensors = lock_optimizer = contextlib.nullcontext()
    local_epoch = EPOCH

    def __init__(self, state: list[Tensor], log: RoundLog) -> None:
        self._round_log, self._codec, self._outer, steps = log, CODEC, OUTER, state[len(SHAPES)].clone()
        weights = [torch.nn.Parameter(each.clone()) for each in state[: len(SHAPES)]]
        self.main_parameters = tuple(torch.nn.Parameter(each.detach().clone()) for each in weights)
        self.optimizer, self.extra_tensors = OUTER(weights, outer_steps=steps), (steps,)
        torch._foreach_copy_(self.optimizer.velocities(), state[len(SHAPES) + 1 :])

    def state(self) -> list[Tensor]:
        """As a newcomer downloads it."""
        weights = [each.detach() for each in parameters_of(self.optimizer)]
        return [*weights, *self.extra_tensors, *self.optimizer.velocities()]

    def step(self, *, wait_for_delayed_updates: bool) -> None:  # type: ignore[override]
        """Nothing is under way."""
