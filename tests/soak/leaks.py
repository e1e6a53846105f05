"""What is there when all are gone, and was not there before."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.support.environment.network_namespaces import PREFIX, run, why_not

SHARED_MEMORY = Path("/dev/shm")


class LeftOver:
    """Remembers how it was when it was built."""

    def __init__(self) -> None:
        self._descriptors, self._shared = _descriptors(), _shared()

    def now(self, folder: Path, temporary: Path, pids: Iterable[int]) -> Iterator[str]:
        """In words, one by one; ``pids`` are all processes that there were, ``folder`` is everybody's."""
        yield from (f"temporary: {path}" for path in sorted(temporary.rglob("*")))
        yield from (f"half a file: {path}" for path in sorted(folder.rglob(".*.tmp")))
        ours = {str(pid) for pid in pids}  # which is the first number in the name; others use it, too
        for name in sorted(_shared() - self._shared):
            if (maker := re.search(r"\d+", name)) and maker[0] in ours:
                yield f"shared memory: {name}"
        yield from (f"namespace: {name}" for name in _namespaces())
        if (more := _descriptors() - self._descriptors) > 0:
            yield f"{more} descriptors of our own"


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _shared() -> set[str]:
    return {path.name for path in SHARED_MEMORY.iterdir()} if SHARED_MEMORY.is_dir() else set()


def _namespaces() -> list[str]:
    if why_not():
        return []
    mine = f"{PREFIX}-{os.getpid()}-"
    return [line.split()[0] for line in run("ip", "netns", "list").splitlines() if line.startswith(mine)]
