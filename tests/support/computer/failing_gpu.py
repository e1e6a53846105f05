"""A worker whose GPU fails once, in the middle of training: ``worker``, or ``client`` with the words of `workerbee`.

    python -P -m tests.support.computer.failing_gpu client join …

It stands for a kernel that crashes, or a driver that is reset: torch raises AcceleratorError from a training step then,
and each later call of CUDA in that process fails. A process that is started after it finds the GPU in order. The step
is computed on the CPU. Where the environment variable `FAILED` names a file, the worker that creates it is the one.
"""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path
from typing import Any

from tests.support.peers import slow_computer

FAILED = "WORKERBEE_TEST_FAILED_GPU"
WORDS = "CUDA error: unspecified launch failure"
GOOD_STEPS = 20
_MODULE = "tests.support.computer.failing_gpu"
_WORKER = [sys.executable, "-P", "-m", _MODULE, "worker"]
CLIENT = [sys.executable, "-P", "-m", _MODULE, "client"]
_HINT = "CUDA kernel errors might be asynchronously reported at some other API call."


def run_worker() -> None:
    """What a worker of a slow computer does, until its GPU fails."""
    failed = Path(os.environ[FAILED])
    is_first = not failed.exists()
    failed.touch()
    slow_computer.run_worker(*([_let_a_step_fail] if is_first else []))


def _let_a_step_fail() -> None:
    import torch

    from core.worker.training.trainer import Trainer

    begin = Trainer.__init__

    def begin_with_gpu(self: Trainer, recipe: Any, *positional: Any, **named: Any) -> None:
        loss, steps = recipe.loss, itertools.count()

        def loss_on_gpu(batch: object) -> object:
            if next(steps) >= GOOD_STEPS:
                raise torch.AcceleratorError(f"{WORDS}\n{_HINT}")
            return loss(batch)

        recipe.loss = loss_on_gpu
        begin(self, recipe, *positional, **named)

    Trainer.__init__ = begin_with_gpu  # type: ignore[method-assign]


def main() -> int:
    """One of the two."""
    role, *words = sys.argv[1:]
    if role == "worker":
        run_worker()
        return 0
    return slow_computer.run_client(words, _WORKER)


if __name__ == "__main__":
    sys.exit(main())
