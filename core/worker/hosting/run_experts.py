"""The experts of a run beside the training loop: a host of some, if this peer hosts, and the calls of all."""

from __future__ import annotations

import contextlib
import itertools
import logging
from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import ErrorKind, UserError
from core.protocol.events import Warned
from core.run.manifest import RunManifest
from core.run.spec.experts import ExpertRole
from core.worker.access.gate import RunGate
from core.worker.hosting.capacity import expert_capacity
from core.worker.hosting.expert_report import ExpertReport
from core.worker.hosting.last_handover import LastHandover
from core.worker.process.channel import WorkerChannel
from core.worker.process.supervisor import Supervisor
from core.worker.recipes import MixtureLanguageModel, Recipe
from core.worker.recipes.mixture_model import experts_in
from core.worker.swarm import ExpertCaller, ExpertHost, Swarm

POLL_SECONDS = 1.0
POLLS_A_REPORT = 2

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HostingWish:
    """Whether this peer trains, hosts, or both; and how many experts it hosts at the most."""

    role: ExpertRole = "train"
    most_experts: int | None = None


class RunExperts:
    """What a run's training loop needs to know of its experts; of a run without any, nothing is ever lacking.

    Where it ``skips`` layers, the tokens of one without experts go on unchanged, and training does not wait.
    """

    def __init__(
        self,
        layers: tuple[int, ...] = (),
        caller: ExpertCaller | None = None,
        report: ExpertReport | None = None,
        skips: bool = False,
        host: ExpertHost | None = None,
    ) -> None:
        self._layers, self.caller, self._report, self._skips = layers, caller, report, skips
        self._host, self._last_handover = host, LastHandover(host)

    @property
    def are_away(self) -> bool:
        """Whether some layer has no expert that can be asked."""
        caller = self.caller
        return caller is not None and not all(caller.available(layer) for layer in self._layers)

    @property
    def are_lacking(self) -> bool:
        """Whether training has to wait for some."""
        return self.are_away and not self._skips

    def know_upload(self, bits_per_second: float | None) -> None:
        """Have copies of the experts here sent no faster than their share of such a line; ``None`` is not known."""
        if self._host is not None:
            self._host.know_upload(bits_per_second)

    def are_needed(self) -> bool:
        """Whether experts here have learned what the run's leader has not collected; asked once the run is over."""
        return self._last_handover.is_needed()

    def watch(self, channel: WorkerChannel) -> None:
        """Say it once each time when all experts of a layer are away, and report on all of them, until we leave."""
        were_away, polls = False, itertools.count()
        while not channel.leaving.wait(POLL_SECONDS):
            if self._report is not None and next(polls) % POLLS_A_REPORT == 0:
                channel.emit(self._report.event())
            are_away = self.are_away
            if are_away and not were_away:
                channel.emit(Warned(problem=ErrorKind.EXPERTS_AWAY.key))
            were_away = are_away


@contextlib.contextmanager
def open_experts(
    swarm: Swarm,
    manifest: RunManifest,
    recipe: Recipe,
    wish: HostingWish,
    gate: RunGate,
    channel: WorkerChannel,
    supervisor: Supervisor,
) -> Iterator[RunExperts]:
    """Host experts, if that is wished, and reach all of them; raises UserError where others cannot reach us.

    It has threads: the averagers' processes are forked before.
    """
    if not isinstance(recipe, MixtureLanguageModel):
        yield RunExperts()
        return
    with contextlib.ExitStack() as ends:
        host = None
        if _may_host(swarm, wish, channel):
            host = _opened_host(swarm, manifest, recipe, wish, gate)
            ends.callback(host.close)
            supervisor.start("experts that are hosted", host.run)
        wanted = list(experts_in(recipe.spec))
        caller = ExpertCaller(swarm, manifest.run.id, wanted, recipe.spec.config.hidden_size, gate.is_barred, host)
        ends.callback(caller.close)
        recipe.connect(caller)
        supervisor.start("experts' hosts", caller.run)
        report = ExpertReport(wanted, caller, {} if host is None else host.experts)
        skips = recipe.spec.experts.when_away == "skip"
        experts = RunExperts(recipe.spec.expert_layers, caller, report, skips, host)
        supervisor.start("experts", lambda: experts.watch(channel))
        yield experts


def _may_host(swarm: Swarm, wish: HostingWish, channel: WorkerChannel) -> bool:
    """Whether this peer hosts; one that was to do both trains where others cannot reach it, and says so."""
    if wish.role == "train" or swarm.mode == "direct":
        return wish.role != "train"
    if wish.role == "host":
        raise UserError(ErrorKind.HOST_NOT_REACHABLE)
    channel.emit(Warned(problem=ErrorKind.HOST_NOT_REACHABLE.key))
    return False


def _opened_host(
    swarm: Swarm, manifest: RunManifest, recipe: MixtureLanguageModel, wish: HostingWish, gate: RunGate
) -> ExpertHost:
    return ExpertHost(
        swarm,
        manifest.run.id,
        list(experts_in(recipe.spec)),
        capacity=expert_capacity(manifest, wish.most_experts),
        hidden_size=recipe.spec.config.hidden_size,
        spec=recipe.spec.experts,
        is_barred=gate.is_barred,
        is_leader=lambda peer: peer == gate.authority.leader,
        folder=swarm.folder / "experts" / manifest.run.id,
    )
