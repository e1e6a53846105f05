"""The rows of the proof, in their order: what each is called, how long it may take, and what measures it."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import FrameType

from tests.bench.setup import NotMeasured, TooLate
from tests.gpu import device_rows, swarm_rows
from tests.gpu.ground import Ground
from tests.gpu.table import Figure, Line, Untried

_WORDS = 240  # of what a row that has failed says
_TOY_PATIENCE = 4.0  # times a row's limit: who tries the code on a CPU is in no hurry, and the computer may be busy


@dataclass(frozen=True)
class Row:
    """``seconds`` is its limit, in which also a swarm begins; rows that share one stand together."""

    what: str
    seconds: float
    measure: Callable[[Ground], Figure]


ROWS: dict[str, Row] = {
    "nvml": Row("GPUs by NVML, by nvidia-smi and by CUDA", 60, device_rows.nvml),
    "gradients": Row(
        "GPT-2 small, gradients: samples/s ÷ plain loop", 270, partial(swarm_rows.throughput, mode="gradients")
    ),
    "energy": Row("energy and power", 160, swarm_rows.energy),
    "cage": Row("a confined worker trains (Landlock, seccomp)", 150, swarm_rows.confinement),
    "yield": Row("another program computes on the GPU → it is free", 200, swarm_rows.yields),
    "local-sgd": Row(
        "GPT-2 small, local SGD: samples/s ÷ plain loop", 220, partial(swarm_rows.throughput, mode="local-sgd")
    ),
    "two-workers": Row("two workers on one GPU", 240, swarm_rows.two_workers),
    "pause": Row("pause → the GPU has nothing of ours", 180, swarm_rows.pause),
    "killed": Row("the worker is killed → the GPU has nothing of it", 160, swarm_rows.killed),
    "precisions": Row("bf16, fp16 and fp32 peers in one swarm", 90, swarm_rows.precisions),
    "memory": Row("out of memory in mid-run", 60, swarm_rows.out_of_memory),
    "dry-run": Row("dry run: micro-batch beside what really fits", 90, swarm_rows.dry_run),
    "lora": Row("LoRA of a larger model", 150, device_rows.adapters),
    "checkpointing": Row("gradient checkpointing: memory", 60, device_rows.checkpointing),
    "codec": Row("weight changes on the device, encoded", 120, device_rows.delta_codec),
    "adamw8bit": Row("AdamW with statistics in 8 bits", 60, device_rows.optimizer_in_8_bits),
    "8bit": Row("frozen weights in 8 bits", 90, partial(device_rows.few_bits, kind="8bit")),
    "nf4": Row("frozen weights in 4 bits (nf4)", 90, partial(device_rows.few_bits, kind="nf4")),
    "compile": Row("torch.compile in a confined worker", 150, swarm_rows.compilation),
    "tests": Row("the tests marked gpu", 120, device_rows.tests_marked_gpu),
}


def measure(names: tuple[str, ...], ground: Ground, deadline: float) -> Iterator[Line]:
    """One line for each, until the deadline of them all, in seconds on the monotonic clock; one row's failure is no
    other's."""
    for name in names:
        row, began = ROWS[name], time.monotonic()
        left = deadline - began
        line = Line.without(row.what, "untried: the time was up") if left <= 0 else _line(row, ground, left)
        print(
            f"{name}: {line.measured}; {line.reached} ({time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True
        )
        yield line


def _line(row: Row, ground: Ground, left: float) -> Line:
    try:
        with _limited(min(row.seconds * (_TOY_PATIENCE if ground.is_toy else 1.0), left)):
            return Line.of(row.what, row.measure(ground))
    except Untried as error:
        return Line.without(row.what, f"untried: {error}")
    except NotMeasured as error:
        why = str(error)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
    ground.reset()
    return Line.without(row.what, f"failed: {' '.join(why.split())[:_WORDS]}")


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise TooLate in this thread, wherever it waits, once the time is over."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TooLate(f"it took more than {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
