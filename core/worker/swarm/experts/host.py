"""Host experts for a run: compute and train them for others, and say in the DHT which they are."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import math
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import torch

from core.run.spec.experts import ExpertsSpec
from core.worker.experts.block import ExpertId
from core.worker.experts.calls import ExpertInput
from core.worker.experts.expert_file import ExpertFiles
from core.worker.experts.hosted_expert import HostedExpert, NotFiniteError
from core.worker.swarm.dht.node import Swarm
from core.worker.swarm.experts.announcements import (
    Hosted,
    IsPeer,
    Steps,
    announce,
    announced_experts,
    guard_announcements,
    nobody,
)
from core.worker.swarm.experts.asking import ask_host
from core.worker.swarm.experts.assignment import Absence, Assignment, Held
from core.worker.swarm.experts.claims import CHECK_SECONDS, Claims, unanswered
from core.worker.swarm.experts.copies import CopyKeeper
from core.worker.swarm.experts.handover import fetch_state, sign_state
from core.worker.swarm.experts.latency import AwakeTimeout
from core.worker.swarm.experts.p2p_thread import START_SECONDS, P2PThread
from core.worker.swarm.experts.quotas import HostLimits
from core.worker.swarm.experts.server import ExpertServer
from core.worker.swarm.patches.monotonic_clock import steady_time

ANNOUNCE_SECONDS = 10.0
ANSWER_SECONDS = 10.0  # in which another host computes a token
LOOK_SECONDS = 5.0  # between looks at what other hosts announce
COPY_LOOK_SECONDS = 1.0  # between looks for an expert of which a copy is due
ORPHAN_SECONDS = 1.0  # the same, while nobody answers for some expert
SAVE_SECONDS = 30.0
STEP_SECONDS = 0.5  # between looks for an expert whose gradients have waited for long enough

log = logging.getLogger(__name__)


class ExpertHost:
    """Answers for some experts of a run on a computer that others reach; `close` it before the swarm.

    Of the ``wanted`` ones it takes those that nobody answers for, ``capacity`` at the most; they go on where their
    files in the ``folder`` end. Who ``is_leader`` collects them, and who ``is_barred`` gets nothing and is not heard.
    What has to be done again and again is done in `run`, in a thread of its own.
    """

    def __init__(
        self,
        swarm: Swarm,
        run_id: str,
        wanted: Sequence[ExpertId],
        *,
        capacity: int,
        hidden_size: int,
        spec: ExpertsSpec,
        is_barred: IsPeer,
        folder: Path,
        is_leader: IsPeer = nobody,
        device: torch.device = torch.device("cpu"),  # noqa: B008 - a constant
        limits: HostLimits = HostLimits(),  # noqa: B008 - a constant
    ) -> None:
        self._swarm, self._run_id = swarm, run_id
        self._hidden_size, self._spec, self._device = hidden_size, spec, device
        self.experts: dict[ExpertId, HostedExpert] = {}
        self._wanted, self._is_barred = frozenset(wanted), is_barred
        self._assignment, self._absence = Assignment(swarm.peer_id, wanted, capacity, steady_time), Absence(steady_time)
        self._files = ExpertFiles(folder, run_id)
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="experts")
        self._looking = ThreadPoolExecutor(1, thread_name_prefix="experts-elsewhere")  # one look at a time
        self._copying = ThreadPoolExecutor(1, thread_name_prefix="experts-copied")  # one copy at a time
        self._claims = Claims(steady_time)
        self._others: Mapping[str, Hosted] = {}  # as they were looked at last, and believed
        guard_announcements(swarm.dht, run_id)
        self._thread = P2PThread(swarm.dht, "expert-host")
        self._server = ExpertServer(self.experts, self._executor, is_barred, limits, self._signed_state, is_leader)
        adding = self._server.add_p2p_handlers(self._thread.p2p, namespace=run_id)
        self._thread.submit(adding).result(START_SECONDS)
        fetch = partial(fetch_state, self._thread.p2p, run_id)
        self._keeper = CopyKeeper(swarm.peer_id, self._thread, fetch, self._files, self._untrained)
        self._has_closed, self._has_news = False, asyncio.Event()
        self._announce()

    @property
    def peer_id(self) -> str:
        """The id of the peer that trainers ask for these experts."""
        return self._swarm.peer_id

    @property
    def copies(self) -> Steps:
        """Those of which only the state is here, by their steps."""
        copies = self._files.copies(self._assignment.orphans)
        return {expert: steps for expert, steps in copies.items() if expert not in self.experts}

    @property
    def not_handed_over(self) -> list[ExpertId]:
        """The experts here that have taken steps since the run's leader was sent their state."""
        here, sent = list(self.experts.values()), self._server.handed_over
        return [each.id for each in here if each.steps > sent.get(each.id, 0)]

    def know_upload(self, bits_per_second: float | None) -> None:
        """Send copies no faster than their share of such a line, in bits a second; as fast as it can for ``None``."""
        self._server.know_upload(bits_per_second)

    def run(self) -> None:
        """Announce, take, save and step experts until `close`; raises whatever goes wrong meanwhile."""
        try:
            self._thread.submit(self._keep_up()).result()
        except concurrent.futures.CancelledError:
            if not self._has_closed:
                raise

    def close(self) -> None:
        """Take the announcement back, answer nobody any more, and save what the experts have learned."""
        self._has_closed = True
        self._thread.close()
        announce(self._swarm.dht, self._swarm.identity, self._run_id, Hosted({}))
        for each in (self._looking, self._copying):
            each.shutdown(wait=False, cancel_futures=True)
        self._executor.shutdown()
        for expert in list(self.experts):
            self._save(expert)

    def answer(self, asked: ExpertInput) -> torch.Tensor | None:
        """What an expert here makes of our own trainer's tokens, or their gradient; ``None`` where it is not here."""
        return self._executor.submit(self._answered, asked).result()

    def _answered(self, asked: ExpertInput) -> torch.Tensor | None:
        if (expert := self.experts.get(asked.expert)) is None:
            return None
        try:
            if asked.gradient is None:
                return expert.forward(asked.tokens, asked.seed)
            return expert.backward(self.peer_id, asked.tokens, asked.gradient, asked.seed)
        except NotFiniteError:
            return None

    async def _keep_up(self) -> None:
        async with asyncio.TaskGroup() as loops:  # where one fails, the others end
            for each in (
                self._keep_announcing(),
                self._keep_looking(),
                self._keep_checking(),
                self._keep_copying(),
                self._keep_learning(),
            ):
                loops.create_task(each)

    async def _keep_announcing(self) -> None:
        while True:
            self._announce()
            self._has_news.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ANNOUNCE_SECONDS):
                    await self._has_news.wait()

    async def _keep_looking(self) -> None:
        """Take and drop experts; none of that holds up an announcement, for however long it blocks."""
        loop = asyncio.get_running_loop()
        while True:
            if await loop.run_in_executor(self._looking, self._look):
                self._has_news.set()
            await asyncio.sleep(ORPHAN_SECONDS if self._assignment.orphans else LOOK_SECONDS)

    async def _keep_checking(self) -> None:
        """Have other hosts compute a token of each, some at a time: who never does keeps no experts from us."""
        while True:
            await asyncio.gather(*[self._check(*each) for each in self._claims.due()])
            await asyncio.sleep(CHECK_SECONDS)

    async def _check(self, host: str, expert: ExpertId) -> None:
        asked = ExpertInput(expert, torch.randn(1, self._hidden_size), None)
        try:
            async with AwakeTimeout(ANSWER_SECONDS):
                answer = await ask_host(self._thread.p2p, self._run_id, host, asked)
        except Exception as error:  # the line and the other end may do anything
            log.info("%s does not answer for expert %s: %r", host, expert, error)
            self._claims.heard(host, None)
        else:
            self._claims.heard(host, "" if isinstance(answer, torch.Tensor) else answer)

    async def _keep_copying(self) -> None:
        """Fetch copies, each for as long as its line takes: what is to be taken meanwhile does not wait for that."""
        loop = asyncio.get_running_loop()
        while True:
            if await loop.run_in_executor(self._copying, lambda: self._keeper.keep(self._others)):
                self._has_news.set()
            else:
                await asyncio.sleep(COPY_LOOK_SECONDS)

    async def _keep_learning(self) -> None:
        """Let those take their step that have waited for long enough, and save what was learned."""
        loop, saved_at = asyncio.get_running_loop(), -math.inf
        while True:
            if time.monotonic() - saved_at >= SAVE_SECONDS:
                saved_at = time.monotonic()
                for expert in list(self.experts):  # between two of which calls are answered
                    await loop.run_in_executor(self._executor, self._save, expert)
            await loop.run_in_executor(self._executor, self._step_due)
            await asyncio.sleep(STEP_SECONDS)

    def _announce(self) -> None:
        here = list(self.experts.values())
        steps, tokens = {each.id: each.steps for each in here}, {each.id: each.trained_tokens for each in here}
        announce(self._swarm.dht, self._swarm.identity, self._run_id, Hosted(steps, self.copies, tokens))
        self._absence.announced()

    def _look(self) -> bool:
        """Take and drop experts, as what all hosts announce makes it right; whether there is anything to announce."""
        announced = announced_experts(self._swarm.dht, self._run_id, self._wanted, self._is_barred)
        announced.pop(self.peer_id, None)
        self._others = others = self._claims.believed(announced)
        held = {each.id: Held(each.steps, each.trained_tokens) for each in list(self.experts.values())}
        told, was_absent = self.copies, self._absence.has_ended(announced, held)
        changes = self._assignment.changes(others, held, told, was_absent, unanswered(announced, others))
        for expert in changes.drop:
            log.info("expert %s is another host's", expert)
            self._executor.submit(self._files.leave, self.experts.pop(expert)).result()  # after what it still learns
        for expert in changes.take:
            self._keeper.fetch_newest(expert, {peer: hosted.copies for peer, hosted in others.items()})
            taken = self._untrained(expert)
            self._files.read(taken)
            self._files.write(taken)
            log.info("answers for expert %s, after %d steps", expert, taken.steps)
            self.experts[expert] = taken
        return bool(changes.take or changes.drop) or self.copies != told

    def _untrained(self, expert: ExpertId) -> HostedExpert:
        return HostedExpert(expert, self._hidden_size, self._spec, self._device)

    def _signed_state(self, expert: ExpertId) -> tuple[bytes, int, bytes] | None:
        """The file of an expert or a copy, its steps and the signed record of it."""
        hosted, data = self.experts.get(expert), self._files.copy_of(expert)
        if hosted is not None:
            data, steps = self._files.data_of(hosted), hosted.steps
        elif data is not None:
            steps = self._files.steps_of_copy(expert)
        else:
            return None
        return data, steps, sign_state(self._run_id, expert, steps, data, self._swarm.identity)

    def _save(self, expert: ExpertId) -> None:
        if (hosted := self.experts.get(expert)) is not None:
            self._files.write(hosted)

    def _step_due(self) -> None:
        for each in list(self.experts.values()):
            each.step_if_due()
