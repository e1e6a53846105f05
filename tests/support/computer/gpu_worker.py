"""A worker whose GPUs are this computer's CPU: ``cuda:N`` is a device of that name and computes with one thread.

    python -P -m tests.support.computer.gpu_worker worker
    python -P -m tests.support.computer.gpu_worker client join …    # `workerbee join …` with such a worker

It stands for torch on a computer with two GPUs, and for nothing else: the process, the swarm, averaging and the
goodbye are real. What CUDA takes of a GPU's memory, and that it gives that back, is tried with `python -m tests.gpu`.
"""

from __future__ import annotations

import sys

from tests.support.peers import slow_computer

MODEL = "GeForce RTX 3070"
_MODULE = "tests.support.computer.gpu_worker"
WORKER = [sys.executable, "-P", "-m", _MODULE, "worker"]
CLIENT = [sys.executable, "-P", "-m", _MODULE, "client"]


def run_worker() -> None:
    """What a worker of a slow computer does, with GPUs."""
    slow_computer.run_worker(_compute_on_the_cpu)


def _compute_on_the_cpu() -> None:
    import torch

    from core.worker.compute import device

    def model(device: object = None) -> str:
        return MODEL

    def on_the_cpu(name: str, memory_limit_bytes: int | None = None) -> torch.device:
        assert name.startswith("cuda:"), name
        return torch.device("cpu")

    device.torch_device = on_the_cpu
    torch.cuda.get_device_name = model


def main() -> int:
    """One of the two."""
    role, *words = sys.argv[1:]
    if role == "worker":
        run_worker()
        return 0
    return slow_computer.run_client(words, WORKER)


if __name__ == "__main__":
    sys.exit(main())
