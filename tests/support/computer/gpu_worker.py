"""A worker whose GPUs are this computer's CPU: ``cuda:N`` is a device of that name and computes with one thread.

    python -P -m tests.support.computer.gpu_worker worker

It stands for torch on a computer with two GPUs, and for nothing else: the process, the swarm, averaging and the
goodbye are real. What CUDA takes of a GPU's memory, and that it gives that back, is tried with `python -m tests.gpu`.
"""

from __future__ import annotations

import sys

from core.worker.process import process_tree
from tests.support.peers import slow_computer

MODEL = "GeForce RTX 3070"
WORKER = [sys.executable, "-P", "-m", "tests.support.computer.gpu_worker", "worker"]


def main() -> None:
    """What a worker of a slow computer does, with GPUs."""
    set_up = process_tree.setup_fork_handling

    def set_up_with_gpus() -> None:
        set_up()
        import torch

        from core.worker.compute import device

        def model(device: object = None) -> str:
            return MODEL

        def on_the_cpu(name: str, memory_limit_bytes: int | None = None) -> torch.device:
            assert name.startswith("cuda:"), name
            return torch.device("cpu")

        device.torch_device = on_the_cpu
        torch.cuda.get_device_name = model

    process_tree.setup_fork_handling = set_up_with_gpus
    slow_computer.run_worker()


if __name__ == "__main__":
    main()
