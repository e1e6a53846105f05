"""A real worker on a GPU that loses some of the memory that it needs after some micro-batches, as to another program.

torch's own limit is lowered, so that CUDA's allocator itself raises OutOfMemoryError in the middle of training.
"""

from __future__ import annotations

import sys
import threading

from core.worker import __main__ as worker
from core.worker.process import process_tree

WORKER = (sys.executable, "-P", "-m", "tests.gpu.squeezed_worker")
STEPS = 8
_LEFT = 0.6  # of what a micro-batch needs beside model and gradients


def main() -> None:
    """What `python -m core.worker` does, with less memory after STEPS micro-batches."""
    set_up = process_tree.setup_fork_handling

    def set_up_squeezed() -> None:
        set_up()  # before torch is imported
        from core.worker.training.trainer import RateLimiter

        wait, steps = RateLimiter.wait, iter(range(1, 10**9))

        def wait_and_squeeze(self: RateLimiter, samples: int, leaving: threading.Event) -> None:
            wait(self, samples, leaving)
            if next(steps) == STEPS:
                _squeeze()

        RateLimiter.wait = wait_and_squeeze  # type: ignore[method-assign]

    process_tree.setup_fork_handling = set_up_squeezed
    worker.main()


def _squeeze() -> None:
    import torch

    kept, peak = torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated()
    torch.cuda.empty_cache()
    total = torch.cuda.get_device_properties(torch.cuda.current_device()).total_memory
    torch.cuda.set_per_process_memory_fraction((kept + _LEFT * (peak - kept)) / total)


if __name__ == "__main__":
    main()
