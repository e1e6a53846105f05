"""One peer's part in one run: prepare, enter the training swarm, train, say goodbye."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial

from core.errors import ErrorKind
from core.localizable import Detail, localized
from core.protocol.events import AnyEvent, CaughtUp, Evaluated, Left, Progress, RoundFinished, Warned
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.steering.authority import RunAuthority
from core.run.steering.control_value import ControlValue
from core.run.steering.rollback import swarm_id
from core.worker.access.gate import RunGate, enter_gate
from core.worker.compute.muon import hidden_matrices
from core.worker.compute.optimizers import make_optimizer
from core.worker.hosting.run_experts import RunExperts, open_experts
from core.worker.mirror.reader import MirrorReader
from core.worker.network.connection_driver import ConnectionDriver
from core.worker.network.connection_monitor import ConnectionMonitor
from core.worker.network.lan_peers import LanPeers
from core.worker.network.peer_cache import PeerCache
from core.worker.network.swarm_peers import SwarmPeers
from core.worker.process.channel import WorkerChannel
from core.worker.process.cpu_priority import CPU_PRIORITY
from core.worker.process.supervisor import Supervisor
from core.worker.process.watchdog import blame_exited_processes
from core.worker.roles.activity_counter import ActivityCounter
from core.worker.roles.contribution_reporter import ContributionReporter
from core.worker.roles.introduction import Introduction
from core.worker.roles.line_monitor import LineMonitor
from core.worker.roles.pace_keeper import PaceKeeper
from core.worker.roles.peer_monitor import PeerMonitor
from core.worker.roles.preparation import DownloadProgress, ParticipationConfig, PreparedTraining, prepare_training
from core.worker.roles.steering.run_numbers import RunNumbers
from core.worker.swarm import (
    FindingsLedger,
    Interrupted,
    Listeners,
    LocalSgdOptimizer,
    SuspectLedger,
    Swarm,
    SwarmOptimizer,
    guard_records,
    guard_signed_values,
    others_scores,
    remove_abandoned,
)
from core.worker.training.change_trials import ChangeTrials
from core.worker.training.contribution_status import ContributionMonitor
from core.worker.training.own_traffic import TrafficReporter, own_traffic
from core.worker.training.trainer import Trainer

LOOP_SECONDS = 2.0  # that the loop may take to notice that we leave, before the goodbye is said without it

_Counters = tuple[ContributionMonitor, SuspectLedger, ActivityCounter, FindingsLedger]

log = logging.getLogger(__name__)


class RunParticipation:
    """The parts of a training peer: the loop in the main thread, and the threads beside it."""

    def __init__(
        self,
        device: str,
        trainer: Trainer,
        trials: ChangeTrials,
        optimizer: SwarmOptimizer,
        contribution: ContributionReporter,
        connection: ConnectionDriver,
        lan_peers: LanPeers,
        peer_monitor: PeerMonitor,
        line_monitor: LineMonitor,
        channel: WorkerChannel,
        supervisor: Supervisor,
        numbers: RunNumbers,
        experts: RunExperts,
    ) -> None:
        self.experts, self._trials, self._traffic = experts, trials, TrafficReporter(channel.emit)
        self._device, self._trainer, self.optimizer, self._contribution = device, trainer, optimizer, contribution
        self._connection, self._lan_peers, self._channel = connection, lan_peers, channel
        self._peer_monitor, self._line_monitor, self._supervisor = peer_monitor, line_monitor, supervisor
        self._has_left, self._numbers, self.prefetch = threading.Event(), numbers, numbers.data.prefetch
        trainer.learning_rate, supervisor.say_goodbye = numbers.learning_rate, optimizer.say_goodbye

    @property
    def contributed_samples(self) -> int:
        """All samples that this worker has computed."""
        return self._trainer.contributed_samples

    def know_authority(self, authority: RunAuthority) -> None:
        """Obey whoever leads the run by that from now on, and believe what those sign of its epochs who may."""
        self._peer_monitor.gate.authority = authority

    def note_reachability(self, reached: int, unreached: int) -> None:
        """Publish that so many peers have tried to dial us and could, and so many could not."""
        self._peer_monitor.counter.note_reachability(reached, unreached)

    @property
    def local_epoch(self) -> int:
        """The epoch that our state is at."""
        return int(self.optimizer.local_epoch)

    def hold(self, is_held: bool) -> None:
        """Compute nothing from now on, and stay connected; or go on."""
        self._trainer.is_held = is_held

    def plan(self, control: ControlValue) -> None:
        """Use its numbers and data, each from its epoch on; raises UserError for more than was agreed to."""
        self._numbers.plan(control, self.optimizer)

    @property
    def epoch_seconds(self) -> float | None:
        """About how long an epoch lasts; ``None`` where nobody computes."""
        tracker = self.optimizer.tracker
        rate = tracker.statistics.swarm_rate()
        return min(tracker.target_batch_size / rate, tracker.clock.max_seconds) if rate else None

    def require_version(self, minimum: str) -> None:
        """Have nothing to do with peers that say that they are older."""
        self._peer_monitor.minimum_version = minimum

    def observe_loss(self) -> None:
        """Remember the loss of the state that was put in place: nobody's may be much worse."""
        self._trainer.observe_loss()

    def run_training(self, on_epoch: Callable[[Evaluated], None] = lambda evaluated: None) -> None:
        """Train until we are asked to leave; ``on_epoch`` is called whenever a new epoch has begun."""
        self._start_threads()
        try:
            self.optimizer.arrival.await_progress(self._channel.leaving, self._contribution.report_waiting)
            if self.optimizer.tracker.global_epoch > self.optimizer.local_epoch:
                self._contribution.report_out_of_sync()
            self._trainer.catch_up(self._channel.leaving)
            for event in self._trainer.events(self._channel.leaving, self._device):
                self._channel.emit(event)
                self._on_event(event, on_epoch)
                self._trials.poll()
        except Interrupted:
            log.info("left while the state was being downloaded")
        finally:
            self._has_left.set()
            self.optimizer.say_goodbye()

    def _start_threads(self) -> None:
        """Everything that must not wait for the loop, which itself may wait for other peers."""
        leaving, tracker = self._channel.leaving, self.optimizer.tracker
        start = self._supervisor.start
        start("leave", self._force_exit_on_leave)
        start("gate", lambda: self._peer_monitor.gate.run(self.optimizer, self._channel, leaving))
        start("peer monitor", lambda: self._peer_monitor.run(leaving, start))
        start("pace", lambda: PaceKeeper(self._trainer, self._line_monitor, self._channel).run(leaving))
        start("receipts", lambda: self._peer_monitor.receipts.run(leaving, start))
        start("traffic", lambda: self._traffic.run(leaving))
        start("upload", lambda: self._line_monitor.run(leaving))
        start("LAN peers", lambda: self._lan_peers.run(leaving, tracker.statistics.direct_others))
        start("connection monitor", lambda: self._connection.run(leaving, self._contribution.report))

    def of_base_weights(self, evaluated: Evaluated) -> Evaluated:
        """The same epoch's, with the loss that is signed: that of the weights which all peers have in common."""
        return self._trainer.of_base_weights(evaluated)

    def _on_event(self, event: AnyEvent, on_epoch: Callable[[Evaluated], None]) -> None:
        if isinstance(event, Evaluated):
            self._peer_monitor.publish_metrics(event.epoch, self._trainer)
            on_epoch(event)
        elif isinstance(event, Progress):
            self._traffic.note_told()
            self._contribution.report()

    def _force_exit_on_leave(self) -> None:
        """End the process without the loop where that blocks, waiting for others, while we are to leave."""
        self._channel.leaving.wait()
        if not self._has_left.wait(LOOP_SECONDS):
            log.warning("the loop blocks: leaving without it")
            self._supervisor.exit(0, own_traffic(), Left(contributed_samples=self.contributed_samples))


@contextmanager
def open_participation(
    swarm: Swarm,
    manifest: RunManifest,
    authority: RunAuthority,
    config: ParticipationConfig,
    peer_cache: PeerCache,
    channel: WorkerChannel,
    supervisor: Supervisor,
    *,
    is_first: bool,
) -> Iterator[RunParticipation]:
    """Enter the training swarm, in the main thread, which forks; ``is_first``: we publish the run. Raises UserError."""
    prepared = prepare_training(manifest, config, swarm.identity.seed_number, channel)
    with closing(prepared.recipe), blame_exited_processes(swarm):
        monitor, _, _, findings = counters = _counters(manifest.run.id, config.device)
        listeners = _listeners(manifest, config, prepared, counters, channel)
        numbers = RunNumbers(manifest, prepared.data)
        gate, swarm = enter_gate(swarm, manifest, authority, config.ticket, supervisor.start)
        optimizer = enter_training(swarm, manifest, authority, prepared, config, listeners, channel, numbers)
        link = _connection(SwarmPeers(swarm, optimizer, monitor), peer_cache, prepared, is_first=is_first)
        with open_experts(swarm, manifest, prepared.recipe, config.hosting, gate, channel, supervisor) as experts:
            yield RunParticipation(
                config.device,
                *_training(prepared, config, optimizer, findings, lambda: link.is_cut, lambda: experts.are_lacking),
                optimizer,
                ContributionReporter(channel, optimizer, monitor, lambda: link.problem),
                link,
                LanPeers(swarm, manifest.run.id, peer_cache),
                *_monitors(swarm, manifest, config, optimizer, prepared, counters, gate, channel, experts),
                channel,
                supervisor,
                numbers,
                experts,
            )


def _counters(run_id: str, device: str) -> _Counters:
    """What counts the rounds of that run, each in its own way."""
    return ContributionMonitor(), SuspectLedger(), ActivityCounter(device), FindingsLedger(run_id)


def _training(
    prepared: PreparedTraining,
    config: ParticipationConfig,
    optimizer: SwarmOptimizer,
    findings: FindingsLedger,
    is_cut: Callable[[], bool],
    lacks_experts: Callable[[], bool],
) -> tuple[Trainer, ChangeTrials]:
    """What computes: the training loop, and the trials of what others have changed."""
    trainer = prepared.trainer(optimizer, config.rate_limiter, is_cut, lacks_experts)
    return trainer, ChangeTrials(prepared.recipe, optimizer, findings.add_trial)


def _monitors(
    swarm: Swarm,
    manifest: RunManifest,
    config: ParticipationConfig,
    optimizer: SwarmOptimizer,
    prepared: PreparedTraining,
    counters: _Counters,
    gate: RunGate,
    channel: WorkerChannel,
    experts: RunExperts,
) -> tuple[PeerMonitor, LineMonitor]:
    """What tells the others of us and hears of them, and what measures our line."""
    _, ledger, counter, findings = counters
    checks = prepared.numeric_checks
    introduction = Introduction.of(swarm, manifest.run.id, config)
    return (
        PeerMonitor(swarm, manifest, introduction, optimizer, checks, ledger, counter, findings, gate, channel),
        LineMonitor(swarm, optimizer, config.line_memory, config.download_meter, channel, experts.know_upload),
    )


def _connection(
    others: SwarmPeers, peer_cache: PeerCache, prepared: PreparedTraining, *, is_first: bool
) -> ConnectionDriver:
    """What keeps us connected with the others."""
    why_refused = prepared.numeric_checks.why_refused
    return ConnectionDriver(ConnectionMonitor(is_first=is_first), others, peer_cache, why_refused)


def _mirror(manifest: RunManifest, config: ParticipationConfig, channel: WorkerChannel) -> MirrorReader | None:
    """Where the run has base weights for newcomers, if it says so."""
    address = manifest.collaboration.mirror
    if not address:
        return None
    return MirrorReader(address, manifest.run.id, config.store, DownloadProgress(channel, "state"))


def _kind_of_optimizer(
    manifest: RunManifest, organiser: str, config: ParticipationConfig, channel: WorkerChannel
) -> Callable[..., SwarmOptimizer]:
    """What builds the optimizer of the run's mode."""
    if manifest.collaboration.mode == "gradients":
        return partial(SwarmOptimizer, organiser=organiser, rollback=config.rollback)
    mirror = _mirror(manifest, config, channel)
    return partial(LocalSgdOptimizer, organiser=organiser, rollback=config.rollback, mirror=mirror)


def _listeners(
    manifest: RunManifest,
    config: ParticipationConfig,
    prepared: PreparedTraining,
    counters: _Counters,
    channel: WorkerChannel,
) -> Listeners:
    """What hears of rounds, downloads and refused states."""

    progress, (_, ledger, *_) = DownloadProgress(channel, "state"), counters

    def on_round(finished: RoundFinished) -> None:
        for each in counters:
            each.add_round(finished)
        channel.emit(finished)

    def on_download(received: int, is_done: bool, is_rest: bool) -> None:
        config.download_meter.note(received, is_done)
        promised = estimate_requirements(manifest).download_bytes
        progress.progress_from_peers(received, promised, is_done=is_done, is_rest=is_rest)

    def on_refusal(peer_id: str, why: Detail) -> None:
        ledger.add_refused_state(peer_id)
        channel.emit(Warned(problem=ErrorKind.STATE_REFUSED.key, detail=localized("%1: %2.", peer_id, why)))

    def on_caught_up(rounds: int, kept: bool) -> None:
        channel.emit(CaughtUp(rounds=rounds, kept=kept))

    return Listeners(on_round, on_download, on_refusal, prepared.numeric_checks.model_error, on_caught_up)


def enter_training(
    swarm: Swarm,
    manifest: RunManifest,
    authority: RunAuthority,
    prepared: PreparedTraining,
    config: ParticipationConfig,
    listeners: Listeners,
    channel: WorkerChannel,
    numbers: RunNumbers,
) -> SwarmOptimizer:
    """Build the SwarmOptimizer, which forks the averagers' processes and announces us to the run."""
    mode = manifest.collaboration.mode
    remove_abandoned(swarm.folder, manifest.run.id, mode, config.rollback)
    for each in {manifest.run.id, swarm_id(manifest.run.id, mode, config.rollback)}:
        guard_records(swarm, each)
    guard_signed_values(swarm.dht, manifest.run.id)
    scores = others_scores(swarm, manifest.run.id, authority.signers)  # before the others hear of us, and count on us
    prepared.numeric_checks.know_scores(scores)
    optimizer = _kind_of_optimizer(manifest, authority.organiser, config, channel)(
        swarm,
        manifest.run.id,
        manifest.collaboration,
        params=[parameter for parameter in prepared.recipe.model.parameters() if parameter.requires_grad],
        optimizer=make_optimizer(manifest.optimizer, prepared.device, hidden_matrices(prepared.recipe.model)),
        scheduler=numbers.scheduler,
        leaving=channel.leaving,
        listeners=listeners,
        is_state_server=config.is_state_server,
    )
    for each in (optimizer.tracker, optimizer.state_averager):
        each.know_scores(scores)
    CPU_PRIORITY.lower_computing()  # not of the averagers, which are forked now
    return optimizer
