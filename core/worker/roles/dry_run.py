"""The worker of a dry run: trains on synthetic data, without swarm or download, and can be ended at any moment."""

from __future__ import annotations

import contextlib
from pathlib import Path

import torch

from core.errors import ErrorKind, UserError
from core.localizable import localized
from core.protocol.commands import DryRun
from core.protocol.events import FitMeasured
from core.worker.compute.bitsandbytes import refuse_without_bitsandbytes
from core.worker.compute.device import torch_device
from core.worker.compute.memory_errors import named_out_of_memory
from core.worker.compute.memory_meter import memory_meter_for
from core.worker.process.channel import WorkerChannel
from core.worker.process.cpu_priority import CPU_PRIORITY
from core.worker.process.supervisor import Supervisor
from core.worker.recipes import build_synthetic
from core.worker.roles.leave_at_once import exit_on_leave
from core.worker.training.micro_batch_benchmark import MicroBatchBenchmark

LIMIT_SECONDS = 60.0
_OOM_SCORE = Path("/proc/self/oom_score_adj")


def run_dry_run(command: DryRun, channel: WorkerChannel, supervisor: Supervisor) -> None:
    """Find the micro-batch that fits, and send it as FitMeasured; raises UserError where nothing can be measured."""
    supervisor.start("dry run leave", lambda: exit_on_leave(channel))
    supervisor.start("dry run time limit", lambda: _limit_time(channel, supervisor))
    if command.threads:
        torch.set_num_threads(command.threads)
    CPU_PRIORITY.lower_computing()
    with contextlib.suppress(OSError):
        _OOM_SCORE.write_text("1000")  # where memory runs out, the kernel's OOM killer ends this process first
    try:
        with named_out_of_memory():
            channel.emit(_measure(command))
    except torch.OutOfMemoryError:
        channel.emit(FitMeasured(device=command.device, micro_batch=0))  # the model alone is too much


def _measure(command: DryRun) -> FitMeasured:
    device = torch_device(command.device, command.memory_limit_bytes)
    refuse_without_bitsandbytes(command.manifest, device)
    meter = memory_meter_for(device)
    recipe = build_synthetic(command.manifest, device)
    return MicroBatchBenchmark(
        manifest=command.manifest,
        recipe=recipe,
        device=device,
        meter=meter,
        draw=recipe.draw,
        check=lambda: None,  # nothing has to end it: the process exits at once, wherever it is
        memory_limit_bytes=command.memory_limit_bytes,
    ).measure()


def _limit_time(channel: WorkerChannel, supervisor: Supervisor) -> None:
    """Fail after LIMIT_SECONDS: a person waits, and an answer that comes too late helps nobody."""
    if not channel.leaving.wait(LIMIT_SECONDS):
        supervisor.fail(UserError(ErrorKind.FIT_UNKNOWN, localized("It took more than %1 s.", f"{LIMIT_SECONDS:.0f}")))
