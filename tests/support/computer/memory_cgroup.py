"""A program in a control group of its own that has less memory than it reads: real pressure, and only for itself.

    python -m tests.support.computer.memory_cgroup FOLDER GROUP…

writes a file into the folder, and reads it again and again as a member of those groups, whose limit it exceeds.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.support.checkout import ROOT

LIMIT_BYTES = 48 * 2**20
READ_BYTES = 160 * 2**20
READERS = 4
_ROOT = Path("/sys/fs/cgroup")
_NAME = f"workerbee-test-{os.getpid()}"


@contextlib.contextmanager
def short_of_memory(folder: Path) -> Iterator[Path]:
    """Such a program runs meanwhile; the file that tells how long its tasks wait for memory.

    Raises OSError where this computer lets us make no such group.
    """
    unified = _ROOT / "unified" if (_ROOT / "unified").is_dir() else _ROOT
    groups, limit = [unified / _NAME], unified / _NAME / "memory.max"
    if (_ROOT / "memory").is_dir():  # the limit is of version 1, and the pressure of version 2
        groups.append(_ROOT / "memory" / _NAME)
        limit = groups[-1] / "memory.limit_in_bytes"
    with contextlib.ExitStack() as ends:
        for group in groups:
            group.mkdir()
            ends.callback(group.rmdir)
        limit.write_text(str(LIMIT_BYTES))
        pressure = groups[0] / "memory.pressure"
        pressure.read_text()
        command = [sys.executable, "-m", __name__, str(folder), *map(str, groups)]
        reader = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
        ends.callback(_end, reader, groups[0] / "cgroup.procs")
        yield pressure


def _end(reader: subprocess.Popen[bytes], members: Path) -> None:
    """Kill it and its children, until none is left in the group."""
    os.killpg(reader.pid, signal.SIGKILL)
    reader.wait()
    while members.read_text():
        time.sleep(0.05)


def main() -> None:
    """Read more than fits, until it is killed."""
    folder, *groups = map(Path, sys.argv[1:])
    for group in groups:
        (group / "cgroup.procs").write_text(str(os.getpid()))
    path = folder / "read"
    with path.open("wb") as written:
        for _ in range(READ_BYTES // 2**20):
            written.write(os.urandom(2**20))
        written.flush()
        os.fsync(written.fileno())
        os.posix_fadvise(written.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    for _ in range(READERS - 1):
        if os.fork() == 0:
            break
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as numbers:
        while True:
            for start in range(0, len(numbers), mmap.PAGESIZE):
                numbers[start]


if __name__ == "__main__":
    main()
