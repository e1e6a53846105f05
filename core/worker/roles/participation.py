"""One peer's part in one run: build the model, catch up with the swarm, train, say goodbye."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

from core.errors import ErrorKind, UserError
from core.protocol.events import (
    AnyEvent,
    ContributionStatus,
    Evaluated,
    Left,
    PeersSeen,
    Progress,
    RoundFinished,
    RunScored,
    StateLoading,
    Warned,
)
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.security.sanitize import MAX_DEVICE_CHARACTERS
from core.worker.compute.bitsandbytes import refuse_without_bitsandbytes
from core.worker.compute.device import torch_device
from core.worker.compute.learning_rate import make_scheduler
from core.worker.compute.memory_meter import MemoryMeter, memory_meter_for
from core.worker.compute.optimizers import make_optimizer
from core.worker.fetch.file_store import FileStore
from core.worker.network.connection_monitor import ConnectionMonitor
from core.worker.network.lan_peers import LOOK_SECONDS, LanPeers
from core.worker.network.peer_cache import PeerCache
from core.worker.process.channel import WorkerChannel
from core.worker.process.watchdog import end, give_up
from core.worker.recipes import FetchContext, Recipe, build
from core.worker.roles.download_progress import DownloadProgress
from core.worker.swarm import (
    METRICS,
    PEER_INFO,
    Interrupted,
    Listeners,
    LocalMetrics,
    PeerInfo,
    Swarm,
    SwarmOptimizer,
    connected_addresses,
    guard_records,
    ping_peers,
    published_scores,
    received_bytes,
    swarm_loss,
)
from core.worker.training.contribution_status import ContributionMonitor
from core.worker.training.micro_batch_benchmark import MicroBatchBenchmark, repeated
from core.worker.training.numeric_checks import NumericChecks
from core.worker.training.rate_limiter import RateLimiter
from core.worker.training.trainer import Trainer

PEERS_SECONDS = 5.0
DRY_RUN_SECONDS = 5.0  # somebody waits for training to begin
LOOP_SECONDS = 2.0  # that the loop may take to notice that we leave, before the goodbye is said without it

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ParticipationConfig:
    """How this peer takes part. ``batch_size`` is the micro-batch; without one, a dry run finds it.

    ``store`` keeps files; ``memory_limit_bytes`` is what training may take of the device's memory. A keeper holds the
    run's state for others and trains next to nothing.
    """

    device: str
    threads: int | None
    batch_size: int | None
    pace: RateLimiter
    store: FileStore
    public_name: str = ""
    memory_limit_bytes: int | None = None
    is_keeper: bool = False


class RunParticipation:
    """Build it in the main thread; ``run_training`` returns when we have left.

    Building it fetches what the run needs, and raises Interrupted where we leave meanwhile.
    A volunteer has ``acquaintances``, and finds the run again through them; the run's first peer has none.
    ``organiser`` is a peer id; empty where nobody has published the run.
    """

    def __init__(
        self,
        swarm: Swarm,
        manifest: RunManifest,
        organiser: str,
        terms: ParticipationConfig,
        channel: WorkerChannel,
        acquaintances: PeerCache | None = None,
    ) -> None:
        self._swarm, self._manifest, self._terms, self._channel = swarm, manifest, terms, channel
        self._run_id, self._organiser, self._scored_epoch = manifest.run.id, organiser, -1
        if terms.threads:
            torch.set_num_threads(terms.threads)
        device = torch_device(terms.device, terms.memory_limit_bytes)
        refuse_without_bitsandbytes(manifest, device)
        gauge, fetching = memory_meter_for(device), DownloadProgress(channel)
        supplies = FetchContext(terms.store, fetching)
        self._recipe = build(manifest, seed=swarm.identity.seed_number, device=device, supplies=supplies)
        self._judge, self._sanity = ContributionMonitor(), NumericChecks(self._recipe)
        batch_size = terms.batch_size or self._found_micro_batch(device, gauge, fetching.check)
        self._verdict: ContributionStatus | None = None
        self._has_left = threading.Event()
        guard_records(swarm, self._run_id)
        self.optimizer = self._optimizer(self._recipe, device)
        swarm.children.say_goodbye = self.optimizer.say_goodbye
        others = _Others(swarm, self.optimizer)
        is_first = acquaintances is None
        known = acquaintances or PeerCache(self._run_id)
        self._lifeline = ConnectionMonitor(others, known, lambda: self._judge.rounds_in_vain, is_first=is_first)
        self._neighbours = LanPeers(swarm, self._run_id, known)
        self._trainer = Trainer(
            self._recipe, self.optimizer, batch_size, terms.pace, self._sanity, self._lifeline.is_cut
        )

    def _found_micro_batch(self, device: torch.device, gauge: MemoryMeter, check: Callable[[], None]) -> int:
        """By a dry run, while nobody counts on us yet; where not even one sample fits, training will tell."""
        fit = MicroBatchBenchmark(
            manifest=self._manifest,
            recipe=self._recipe,
            device=device,
            gauge=gauge,
            draw=repeated(self._recipe.draw(1)),
            check=check,
            memory_limit_bytes=self._terms.memory_limit_bytes,
            seconds=DRY_RUN_SECONDS,
        ).measure()
        self._channel.emit(fit)
        return max(1, fit.micro_batch)

    def _optimizer(self, recipe: Recipe, device: torch.device) -> SwarmOptimizer:
        return SwarmOptimizer(
            self._swarm,
            self._run_id,
            self._manifest.collaboration,
            params=[parameter for parameter in recipe.model.parameters() if parameter.requires_grad],
            optimizer=make_optimizer(self._manifest.optimizer, device),
            scheduler=make_scheduler(self._manifest.scheduler),
            leaving=self._channel.leaving,
            listeners=Listeners(self._round_finished, self._downloading, self._state_refused, self._sanity.flaw),
            is_keeper=self._terms.is_keeper,
        )

    def run_training(self, keep: Callable[[Evaluated], None] = lambda evaluated: None) -> None:
        """Train until we are asked to leave; ``keep`` is told whenever a new epoch has begun."""
        for companion in (
            self._force_exit_on_leave,
            self._watch_peers,
            self._connect_lan_peers,
            self._monitor_connection,
        ):
            threading.Thread(target=companion, daemon=True).start()
        try:
            self._catch_up()
            for event in self._trainer.events(self._channel.leaving, self._terms.device):
                self._channel.emit(event)
                self._follow(event, keep)
        except Interrupted:
            log.info("left while the state was being downloaded")
        finally:
            self._say_goodbye()

    def _catch_up(self) -> None:
        if self.optimizer.tracker.global_epoch > self.optimizer.local_epoch:
            self._tell_verdict(is_in_sync=False)
            self.optimizer.load_state_from_peers()

    def _follow(self, event: AnyEvent, keep: Callable[[Evaluated], None]) -> None:
        match event:
            case Evaluated():
                self._publish_metrics(event.epoch)
                keep(event)
            case Progress():
                self._tell_verdict(self.optimizer.is_synchronized_with_peers())
            case _:
                pass

    def _tell_verdict(self, is_in_sync: bool) -> None:
        others, trouble = self.optimizer.tracker.statistics.other_peers(), self._lifeline.trouble
        contribution_status = self._judge.contribution_status(others, is_in_sync, trouble)
        if contribution_status != self._verdict:
            self._verdict = contribution_status
            self._channel.emit(contribution_status)

    def _watch_peers(self) -> None:
        """Beside the loop, because the DHT may take its time."""
        card, shown_at = PeerInfo(name=self._terms.public_name, device=_model(self._terms.device)), -math.inf
        dht = self._swarm.dht
        while not self._channel.leaving.wait(PEERS_SECONDS):
            if time.monotonic() - shown_at > PEER_INFO.lifetime_seconds / 3:
                PEER_INFO.publish(self._swarm, self._run_id, card)
                shown_at = time.monotonic()
            peers = self.optimizer.tracker.statistics.peers(PEER_INFO.read(dht, self._run_id))
            self._channel.emit(PeersSeen(peers=peers, loss=swarm_loss(dht, self._run_id)))
            if self._organiser:
                self._tell_scores()

    def _tell_scores(self) -> None:
        published = published_scores(self._swarm.dht, self._run_id, self._organiser)
        if news := published.after(self._scored_epoch):
            *earlier, latest = news
            self._scored_epoch = latest.epoch
            self._channel.emit(RunScored(latest=latest, earlier=tuple(earlier)))

    def _connect_lan_peers(self) -> None:
        """Beside everything else, because dialling takes its time; the first round is better with them."""
        is_leaving = False
        while not is_leaving:
            self._neighbours.look(self.optimizer.tracker.statistics.direct_others())
            is_leaving = self._channel.leaving.wait(LOOK_SECONDS)

    def _monitor_connection(self) -> None:
        """Beside the loop, which may be waiting for others."""
        try:
            self._lifeline.hold(
                self._channel.leaving, lambda: self._tell_verdict(self.optimizer.is_synchronized_with_peers())
            )
        except UserError as error:
            give_up(error, self._channel, self.optimizer.say_goodbye)

    def _publish_metrics(self, epoch: int) -> None:
        metrics = LocalMetrics(
            step=epoch,
            samples_per_second=float(self.optimizer.tracker.statistics.my_rate() or 0.0),
            samples_accumulated=self._trainer.epoch_samples,
            loss=self._trainer.loss_sum,
            mini_steps=self._trainer.mini_steps,
        )
        METRICS.publish(self._swarm, self._run_id, metrics)

    def _round_finished(self, finished: RoundFinished) -> None:
        self._judge.note(finished)
        self._channel.emit(finished)

    def _downloading(self, received: int, is_done: bool) -> None:
        total = estimate_requirements(self._manifest).download_bytes
        self._channel.emit(StateLoading(received_bytes=total if is_done else min(received, total), total_bytes=total))

    def _state_refused(self, peer_id: str, why: str) -> None:
        self._channel.emit(Warned(problem=ErrorKind.STATE_REFUSED.key, detail=f"{peer_id}: {why}."))

    def _say_goodbye(self) -> None:
        self._has_left.set()
        self.optimizer.say_goodbye()
        self._recipe.close()

    def _force_exit_on_leave(self) -> None:
        """A loop that stands still, waiting for others, must not keep us: say goodbye without it and end."""
        self._channel.leaving.wait()
        if not self._has_left.wait(LOOP_SECONDS):
            log.warning("the loop stands still: leaving without it")
            left = Left(contributed_samples=self._trainer.contributed_samples)
            end(0, self._channel, self.optimizer.say_goodbye, left)

    @property
    def contributed_samples(self) -> int:
        """All samples that this worker has computed."""
        return self._trainer.contributed_samples


class _Others:
    """The others of a run, for the lifeline."""

    def __init__(self, swarm: Swarm, optimizer: SwarmOptimizer) -> None:
        self._swarm, self._tracker = swarm, optimizer.tracker
        self.epochs_ahead = self._tracker.statistics.epochs_ahead
        self._received, self._received_at = received_bytes(), time.monotonic()

    def quiet_seconds(self) -> float | None:
        """Since when nothing at all has come from others; reports stand still while a state is downloaded."""
        if (received := received_bytes()) != self._received:
            self._received, self._received_at = received, time.monotonic()
        quiet = self._tracker.liveness.quiet_seconds()
        return None if quiet is None else min(quiet, time.monotonic() - self._received_at)

    def have_left_properly(self) -> bool:
        """Only who can be reached may go on without them: nobody could ever average with anybody else."""
        return self._swarm.mode == "direct" and self._tracker.liveness.others_left_cleanly

    def greet(self, addresses: tuple[str, ...]) -> bool:
        """Whether anybody there answers our p2pd."""
        return ping_peers(self._swarm.dht, addresses)

    def addresses(self) -> tuple[str, ...]:
        """Of direct peers that we are connected with."""
        peers = [peer for peer in self._tracker.statistics.peers() if not peer.is_me and not peer.client_mode]
        return connected_addresses(self._swarm.dht, [peer.peer_id for peer in peers])


def _model(device: str) -> str:
    """What others see of the device that computes."""
    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else "CPU"
    return name[:MAX_DEVICE_CHARACTERS]
