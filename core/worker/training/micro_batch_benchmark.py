"""A few micro-batches on the device that shall train: how many samples at a time fit, and how fast."""

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
    """What is computed, where, and within which limits.

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
        """Find the micro-batch; the model's parameters, gradients and buffers are afterwards as before."""
        beside = _host_bytes(self.manifest, self.device)
        ballast = torch.empty(self._later_bytes(), dtype=torch.uint8, device=self.device)
        buffers = {name: buffer.clone() for name, buffer in self.recipe.model.named_buffers()}
        try:
            best = find_micro_batch(self.manifest.collaboration, self._measured, self._bounds(beside))
        finally:
            del ballast
            self.recipe.model.zero_grad()
            self._put_back(buffers)
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
            utmost_bytes=min(limit, free) - beside,
            empty_bytes=self.meter.taken_bytes(),
            seconds=self.seconds,
        )

    def _later_bytes(self) -> int:
        """What hivemind will keep on a GPU, too: sums of gradients, and the optimizer unless offloaded.

        On a CPU that is in ordinary memory with all the rest of hivemind's.
        """
        if self.device.type != "cuda":
            return 0
        together = self.manifest.collaboration
        has_sums = not (together.reuse_grad_buffers or together.use_local_updates)
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
        """Of one micro-batch, after one to warm up; the median, because others use this computer as well."""
        first, steps = self._step(size), list[float]()
        most = 1 if first > SIZE_SECONDS else _MOST_STEPS
        while first < VERY_SLOW_SECONDS and len(steps) < most and sum(steps) < SIZE_SECONDS:
            steps.append(self._step(size))
        return median(steps) if steps else first

    def _step(self, size: int) -> float:
        """The seconds that one micro-batch takes."""
        self.check()
        began = time.monotonic()
        self.recipe.backward(self.recipe.loss(self.draw(size)))
        self.meter.synchronize()
        seconds = time.monotonic() - began
        self.recipe.model.zero_grad()
        return seconds

    def _put_back(self, buffers: dict[str, torch.Tensor]) -> None:
        with torch.no_grad():
            for name, buffer in self.recipe.model.named_buffers():
                buffer.copy_(buffers[name])


def _host_bytes(manifest: RunManifest, device: torch.device) -> int:
    """Where the CPU trains, what the rest of training takes of the same memory."""
    return 0 if device.type == "cuda" else estimate_requirements(manifest).host_memory_bytes


def repeated(batch: Batch) -> Callable[[int], Batch]:
    """Draws batches of that one sample, for whoever must not wait for others or use them up."""
    return lambda size: Batch(_repeated(batch.inputs, size), _repeated(batch.targets, size))


def _repeated(sample: torch.Tensor, size: int) -> torch.Tensor:
    return sample.expand(size, *sample.shape[1:]).contiguous()
