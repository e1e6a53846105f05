"""A worker whose GPU fails in the middle of training, and at the next start: ``worker``, or ``client``.

    python -P -m tests.support.computer.failing_gpu client join …

``client`` takes the commands of `workerbee`. It stands for a kernel that crashes, or a driver that is reset: torch
raises AcceleratorError from a training step then, and each later call of CUDA in that process fails. The process that
is started after it is refused by the driver, and the one after that finds the GPU in order. The step is computed on the
CPU. Each of these workers adds a byte to the file that the environment variable `FAILED` names.
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
REFUSAL = "cuda:0: CUDA driver initialization failed, you might not have a CUDA gpu."
GOOD_STEPS = 20
_MODULE = "tests.support.computer.failing_gpu"
_WORKER = [sys.executable, "-P", "-m", _MODULE, "worker"]
CLIENT = [sys.executable, "-P", "-m", _MODULE, "client"]
_HINT = "CUDA kernel errors might be asynchronously reported at some other API call."


def run_worker() -> None:
    """What a worker of a slow computer does, until its GPU fails."""
    with Path(os.environ[FAILED]).open("ab") as count:
        count.write(b".")
        started = count.tell()
    slow_computer.run_worker(*{1: [_let_a_step_fail], 2: [_let_the_driver_refuse]}.get(started, []))


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


def _let_the_driver_refuse() -> None:
    from core.errors import ErrorKind, UserError
    from core.worker.roles import preparation

    def refused(*_asked: object) -> None:
        raise UserError(ErrorKind.GPU_UNUSABLE, REFUSAL)

    preparation.torch_device = refused  # type: ignore


def main() -> int:
    """One of the two."""
    role, *words = sys.argv[1:]
    if role == "worker":
        run_worker()
        return 0
    return slow_computer.run_client(words, _WORKER)


if __name__ == "__main__":
    sys.exit(main())
