"""A benchmark of micro-batches on the device that is to train: how many samples fit, and how fast."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import torch

from core.hardware.fit import EASY_SHARE
from core.protocol.events import FitMeasured
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.worker.compute.memory_errors import named_out_of_memory
from core.worker.compute.memory_meter import MemoryMeter
from core.worker.recipes import Batch, Recipe
from core.worker.training.micro_batch_search import Bounds, Measured, find_micro_batch

SECONDS = 10.0  # for all sizes together
SIZE_SECONDS = 0.3  # for one size, after its first micro-batch
VERY_SLOW_SECONDS = 2.5  # the first micro-batch of a device that computes no other to be sure
_MOST_STEPS = 8
_FLOAT_BYTES = 4

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class MicroBatchBenchmark:
    """What is benchmarked, on which device, and within which limits.

    ``draw`` gives batches, ``check`` is called between them and raises what must end the work.
    """

    manifest: RunManifest
    recipe: Recipe
    device: torch.device
    meter: MemoryMeter
    draw: Callable[[int], Batch]
    check: Callable[[], None]
    memory_limit_bytes: int | None = None
    seconds: float = SECONDS

    def measure(self) -> FitMeasured:
        """Find the micro-batch; the model's parameters, gradients and buffers are left as they were."""
        beside = _host_bytes(self.manifest, self.device)
        ballast = torch.empty(self._hivemind_bytes(), dtype=torch.uint8, device=self.device)
        buffers = {name: buffer.clone() for name, buffer in self.recipe.model.named_buffers()}
        try:
            best = find_micro_batch(self.manifest.collaboration, self._measured, self._bounds(beside))
        finally:
            del ballast
            self.recipe.model.zero_grad()
            self._restore_buffers(buffers)
            self.meter.reset()
        log.info("the dry run: %s", best)
        if best is None:
            return FitMeasured(device=str(self.device), micro_batch=0)
        return FitMeasured(
            device=str(self.device),
            micro_batch=best.size,
            samples_per_second=best.samples_per_second,
            memory_bytes=best.memory_bytes + beside,
        )

    def _bounds(self, beside: int) -> Bounds:
        free = self.meter.free_bytes()
        limit = free if self.memory_limit_bytes is None else self.memory_limit_bytes
        return Bounds(
            memory_bytes=min(limit, round(EASY_SHARE * free)) - beside,
            max_bytes=min(limit, free) - beside,
            baseline_bytes=self.meter.taken_bytes(),
            seconds=self.seconds,
        )

    def _hivemind_bytes(self) -> int:
        """Bytes that hivemind will keep on a GPU: accumulated gradients, and the optimizer's state unless offloaded.

        On a CPU that is in ordinary memory with all the rest of hivemind's.
        """
        if self.device.type == "cpu":
            return 0
        together = self.manifest.collaboration
        has_sums = not (together.reuse_grad_buffers or together.use_local_updates or together.mode == "local-sgd")
        kept_bytes = 0.0 if together.is_optimizer_offloaded else self.manifest.optimizer.kept_bytes
        trained = sum(each.numel() for each in self.recipe.model.parameters() if each.requires_grad)
        return round(trained * (_FLOAT_BYTES * has_sums + kept_bytes))

    def _measured(self, size: int) -> Measured:
        self.meter.reset()
        with named_out_of_memory():
            seconds = self._typical_seconds(size)
        measured = Measured(size, self.meter.taken_bytes(), seconds)
        log.info("%d samples at a time: %.1f/s", size, measured.samples_per_second)
        return measured

    def _typical_seconds(self, size: int) -> float:
        """The median seconds of one micro-batch after a warm-up; the median, because others use this computer, too."""
        first, steps = self._step(size), list[float]()
        most = 1 if first > SIZE_SECONDS else _MOST_STEPS
        while first < VERY_SLOW_SECONDS and len(steps) < most and sum(steps) < SIZE_SECONDS:
            steps.append(self._step(size))
        return median(steps) if steps else first

    def _step(self, size: int) -> float:
        """Compute one micro-batch forward and backward; the seconds that it took."""
        self.check()
        began = time.monotonic()
        self.recipe.backward(self.recipe.loss(self.draw(size)))
        self.meter.synchronize()
        seconds = time.monotonic() - began
        self.recipe.model.zero_grad()
        return seconds

    def _restore_buffers(self, buffers: dict[str, torch.Tensor]) -> None:
        with torch.no_grad():
            for name, buffer in self.recipe.model.named_buffers():
                buffer.copy_(buffers[name])


def _host_bytes(manifest: RunManifest, device: torch.device) -> int:
    """Bytes that the rest of training takes of the memory, where the CPU trains; 0 for a GPU."""
    return 0 if device.type != "cpu" else estimate_requirements(manifest).host_memory_bytes


def repeat_sample(batch: Batch) -> Callable[[int], Batch]:
    """A function that draws batches by repeating one sample, which neither waits for data nor uses any up."""
    return lambda size: Batch(_repeat(batch.inputs, size), _repeat(batch.targets, size))


def _repeat(sample: torch.Tensor, size: int) -> torch.Tensor:
    return sample.expand(size, *sample.shape[1:]).contiguous()
