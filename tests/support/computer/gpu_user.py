"""A real program of which the stand-in for NVIDIA's library tells, sample by sample, that it uses the GPU."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.computer.named_program import running_program


@contextmanager
def gpu_user(folder: Path, sample: Callable[[int, int], None], period_seconds: float) -> Iterator[None]:
    """While this lasts, the program runs, and ``sample`` is called with its process id and a rising time in µs."""
    with running_program(folder) as pid:
        ended, numbers = threading.Event(), itertools.count(1)

        def sample_now() -> None:
            sample(pid, next(numbers) + time.time_ns() // 1000)

        def sample_on() -> None:
            while not ended.wait(period_seconds):
                sample_now()

        sample_now()
        sampling = threading.Thread(target=sample_on)
        sampling.start()
        try:
            yield
        finally:
            ended.set()
            sampling.join()
