"""A process's life for one dry run: no swarm, no download; whoever wants it to end need not wait."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path

import torch

from core.errors import ErrorKind
from core.protocol.commands import DryRun
from core.protocol.events import Failed, FitMeasured
from core.worker.compute.bitsandbytes import refuse_without_bitsandbytes
from core.worker.compute.device import torch_device
from core.worker.compute.memory_errors import named_out_of_memory
from core.worker.compute.memory_meter import memory_meter_for
from core.worker.process.channel import WorkerChannel
from core.worker.recipes import build_for_noise
from core.worker.training.micro_batch_benchmark import MicroBatchBenchmark

LIMIT_SECONDS = 60.0
_OOM_SCORE = Path("/proc/self/oom_score_adj")


def run_dry_run(command: DryRun, channel: WorkerChannel) -> None:
    """Measure, and say what was found; raises ClientError where nothing can be."""
    for companion in (_end_when_asked, _give_up):
        threading.Thread(target=companion, args=(channel,), daemon=True).start()
    with contextlib.suppress(OSError):
        _OOM_SCORE.write_text("1000")  # should the computer's memory end, we go first
    if command.threads:
        torch.set_num_threads(command.threads)
    try:
        with named_out_of_memory():
            channel.emit(_measured(command))
    except torch.OutOfMemoryError:
        channel.emit(FitMeasured(device=command.device, micro_batch=0))  # the model alone is too much


def _measured(command: DryRun) -> FitMeasured:
    device = torch_device(command.device, command.memory_limit_bytes)
    refuse_without_bitsandbytes(command.manifest, device)
    gauge = memory_meter_for(device)
    recipe = build_for_noise(command.manifest, device)
    return MicroBatchBenchmark(
        manifest=command.manifest,
        recipe=recipe,
        device=device,
        gauge=gauge,
        draw=recipe.draw,
        check=lambda: None,  # we end at once, wherever we are
        memory_limit_bytes=command.memory_limit_bytes,
    ).measure()


def _end_when_asked(channel: WorkerChannel) -> None:
    """Nobody is to be told goodbye: even in the middle of a micro-batch."""
    channel.leaving.wait()
    os._exit(0)


def _give_up(channel: WorkerChannel) -> None:
    """Somebody looks at a page that says "measuring": an answer that comes too late helps nobody."""
    time.sleep(LIMIT_SECONDS)
    channel.emit(Failed(problem=ErrorKind.FIT_UNKNOWN.key, detail=f"It took more than {LIMIT_SECONDS:.0f} s."))
    channel.close()
    os._exit(1)
