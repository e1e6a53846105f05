"""Host experts for a run: compute and train them for others, and say in the DHT which they are."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch

from core.run.spec.experts import ExpertsSpec
from core.worker.experts.block import ExpertId
from core.worker.experts.expert_file import ExpertFiles
from core.worker.experts.hosted_expert import HostedExpert
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.experts.announcements import announce, guard_announcements
from core.worker.swarm.experts.p2p_thread import START_SECONDS, P2PThread
from core.worker.swarm.experts.quotas import HostLimits
from core.worker.swarm.experts.server import ExpertServer, MayTrain

ANNOUNCE_SECONDS = 15.0
SAVE_SECONDS = 30.0
STEP_SECONDS = 0.5  # between looks for an expert whose gradients have waited for long enough


class ExpertHost:
    """Some experts of a run on this computer, which others must be able to reach; `close` it before the swarm.

    They go on where their files in the ``folder`` end.
    """

    def __init__(
        self,
        swarm: Swarm,
        run_id: str,
        experts: Iterable[ExpertId],
        *,
        hidden_size: int,
        spec: ExpertsSpec,
        may_train: MayTrain,
        folder: Path,
        device: torch.device = torch.device("cpu"),  # noqa: B008 - a constant
        limits: HostLimits = HostLimits(),  # noqa: B008 - a constant
    ) -> None:
        self._swarm, self._run_id = swarm, run_id
        self.experts = {each: HostedExpert(each, hidden_size, spec, device) for each in experts}
        self._files = ExpertFiles(folder, run_id)
        for expert in self.experts.values():
            self._files.read(expert)
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="experts")
        guard_announcements(swarm.dht, run_id)
        self._thread = P2PThread(swarm.dht, "expert-host")
        self._server = ExpertServer(self.experts, self._executor, may_train, limits)
        adding = self._server.add_p2p_handlers(self._thread.p2p, namespace=run_id)
        self._thread.submit(adding).result(START_SECONDS)
        self._thread.submit(self._keep_up())

    def close(self) -> None:
        """Take the announcement back, answer nobody any more, and save what the experts have learned."""
        announce(self._swarm.dht, self._swarm.identity, self._run_id, ())
        self._thread.close()
        self._executor.shutdown()
        self._save()

    async def _keep_up(self) -> None:
        """Announce and save the experts again and again, and let those take their step that have waited."""
        loop = asyncio.get_running_loop()
        announced_at = saved_at = -math.inf
        while True:
            now = time.monotonic()
            if now - announced_at >= ANNOUNCE_SECONDS:
                announced_at = now
                announce(self._swarm.dht, self._swarm.identity, self._run_id, self.experts)
            if now - saved_at >= SAVE_SECONDS:
                saved_at = now
                await loop.run_in_executor(self._executor, self._save)
            await loop.run_in_executor(self._executor, self._step_due)
            await asyncio.sleep(STEP_SECONDS)

    def _save(self) -> None:
        for each in self.experts.values():
            self._files.write(each)

    def _step_due(self) -> None:
        for each in self.experts.values():
            each.step_if_due()
