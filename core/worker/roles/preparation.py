"""The preparation of training, before any swarm counts on us: device, files, recipe, micro-batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import msgspec
import torch

from core.errors import ErrorKind
from core.localizable import Detail
from core.protocol.events import StateLoading, Warned
from core.protocol.types import NOTHING_DISCLOSED, Disclosure
from core.run.manifest import RunManifest, web_addresses
from core.run.spec.data import DataSpec
from core.run.steering.data_change import DataChanges
from core.run.steering.rollback import Rollback
from core.worker.compute.bitsandbytes import refuse_without_bitsandbytes
from core.worker.compute.device import torch_device
from core.worker.compute.memory_meter import memory_meter_for
from core.worker.fetch.background_task import ProgressListener
from core.worker.fetch.fetcher import open_fetcher
from core.worker.fetch.file_store import FetchContext, FileStore
from core.worker.hosting.run_experts import HostingWish
from core.worker.network.line_memory import LineMemory
from core.worker.process.channel import WorkerChannel
from core.worker.recipes import Recipe, build, open_other_data
from core.worker.roles.steering.run_data import PutInPlace, RunData, data_to_begin_with
from core.worker.swarm import DownloadMeter, Interrupted, SwarmOptimizer
from core.worker.training.micro_batch_benchmark import MicroBatchBenchmark, repeat_sample
from core.worker.training.numeric_checks import NumericChecks
from core.worker.training.own_traffic import TrafficReporter
from core.worker.training.trainer import STATE_SERVER_SAMPLES_PER_SECOND, RateLimiter, Trainer

DRY_RUN_SECONDS = 5.0  # somebody waits for training to begin


@dataclass(frozen=True)
class ParticipationConfig:
    """How this peer takes part in a run.

    ``device`` is "cpu" or "cuda:N", ``threads`` bounds the CPU's. ``micro_batch`` is in samples; without one, a
    dry run finds it. ``store`` keeps files; ``public_name`` is what others may call this computer, ``disclosure`` what
    they are told besides; ``memory_limit_bytes`` is what training may take of the device's memory.
    ``is_state_server``: the peer holds the run's state for others and trains next to nothing. ``line_memory`` keeps
    what was measured of the line, to which belongs what the ``download_meter`` sees; the ``ticket`` lets this peer into
    a closed run; the ``rollback`` is the run's last one, and ``data_changes`` are what was exchanged of its data.
    ``hosting`` says what it does about a run's experts.
    """

    device: str
    threads: int | None
    micro_batch: int | None
    rate_limiter: RateLimiter
    store: FileStore
    public_name: str = ""
    memory_limit_bytes: int | None = None
    is_state_server: bool = False
    line_memory: LineMemory = field(default_factory=LineMemory)
    download_meter: DownloadMeter = field(default_factory=DownloadMeter)
    ticket: bytes = b""
    rollback: Rollback | None = None
    data_changes: DataChanges = ()
    hosting: HostingWish = field(default_factory=HostingWish)
    disclosure: Disclosure = NOTHING_DISCLOSED

    def as_keeper(self) -> ParticipationConfig:
        """The same of a peer that trains next to nothing (hivemind's auxiliary peer, nearly).

        It averages, steps and uploads the run's state to newcomers.
        """
        slowly = RateLimiter(STATE_SERVER_SAMPLES_PER_SECOND)
        return replace(self, device="cpu", threads=1, micro_batch=1, rate_limiter=slowly, is_state_server=True)


@dataclass(frozen=True)
class PreparedTraining:
    """What a run trains on this computer: ``micro_batch`` in samples, the checks of an untrained model, its data."""

    recipe: Recipe
    device: torch.device
    micro_batch: int
    numeric_checks: NumericChecks
    data: RunData

    def trainer(
        self,
        optimizer: SwarmOptimizer,
        rate_limiter: RateLimiter,
        is_cut: Callable[[], bool],
        lacks_experts: Callable[[], bool],
    ) -> Trainer:
        """The training loop, which does nothing while ``is_cut``, and only follows the run while it lacks experts."""
        checks = self.numeric_checks
        trainer = Trainer(self.recipe, optimizer, self.micro_batch, rate_limiter, checks, is_cut, lacks_experts)
        trainer.has_data = self.data.is_ready
        return trainer


class DownloadProgress:
    """A ProgressListener that sends StateLoading, Traffic and Warned events, and ends the download when we leave."""

    def __init__(self, channel: WorkerChannel, what: Literal["state", "files"] = "files") -> None:
        self._channel, self._what, self._traffic = channel, what, TrafficReporter(channel.emit)

    def progress(self, received_bytes: int, total_bytes: int) -> None:
        """Send how many of all bytes have been received."""
        self._channel.emit(StateLoading(what=self._what, received_bytes=received_bytes, total_bytes=total_bytes))
        self._traffic.report()

    def progress_from_peers(self, received_bytes: int, promised_bytes: int, *, is_done: bool, is_rest: bool) -> None:
        """Send how much has come of a state of so many bytes; or of the ``rest`` where the mirror had one already.

        The rest is a few rounds or a whole state, so that its total is known only once it ``is_done``.
        """
        if is_rest:
            total = received_bytes if is_done else 0
            self._channel.emit(StateLoading(what="rest", received_bytes=received_bytes, total_bytes=total))
        else:
            self.progress(promised_bytes if is_done else min(received_bytes, promised_bytes), promised_bytes)

    def check(self) -> None:
        """Raises Interrupted once we leave."""
        if self._channel.leaving.is_set():
            raise Interrupted

    def warn(self, problem: ErrorKind, detail: Detail) -> None:
        """Send a warning about something that is tried again."""
        self._channel.emit(Warned(problem=problem.key, detail=detail))


def prepare_training(
    manifest: RunManifest, config: ParticipationConfig, seed: int, channel: WorkerChannel
) -> PreparedTraining:
    """Set up the device, fetch the run's files, build its recipe and find the micro-batch.

    Raises UserError for what cannot be fetched or used, and Interrupted where we leave meanwhile.
    """
    open_fetcher(web_addresses(manifest), config.store.guard)
    if config.threads:
        torch.set_num_threads(config.threads)
    device = torch_device(config.device, config.memory_limit_bytes)
    refuse_without_bitsandbytes(manifest, device)
    meter, listener = memory_meter_for(device), DownloadProgress(channel)  # the meter before the model
    begun = _with(manifest, data_to_begin_with(manifest, config.data_changes))
    recipe = build(begun, seed=seed, device=device, context=FetchContext(config.store, listener))
    numeric_checks = NumericChecks.of_untrained(recipe)
    if (micro_batch := config.micro_batch) is None:
        fit = MicroBatchBenchmark(
            manifest=manifest,
            recipe=recipe,
            device=device,
            meter=meter,
            draw=repeat_sample(recipe.draw(1)),
            check=listener.check,
            memory_limit_bytes=config.memory_limit_bytes,
            seconds=DRY_RUN_SECONDS,
        ).measure()
        channel.emit(fit)
        micro_batch = max(1, fit.micro_batch)  # where not even one sample fits, training will tell

    def open_data(data: DataSpec, quietly: ProgressListener) -> PutInPlace:
        return open_other_data(recipe, _with(manifest, data), seed, FetchContext(config.store, quietly))

    data = RunData(manifest, config.data_changes, open_data, numeric_checks, listener)
    return PreparedTraining(recipe, device, micro_batch, numeric_checks, data)


def _with(manifest: RunManifest, data: DataSpec) -> RunManifest:
    return msgspec.structs.replace(manifest, data=data)
