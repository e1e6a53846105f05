"""A real program with a name of its own, for rules that name one: a copy of the shell, which waits."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "bees-in-blender"


@contextmanager
def running_program(folder: Path, name: str = NAME) -> Iterator[int]:
    """While this lasts, a program of that name runs; its process id."""
    path = folder / name
    shutil.copy(os.path.realpath("/bin/sh"), path)
    command = [str(path), "-c", "echo there; read line"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        try:
            assert process.stdout.readline().strip() == b"there"
            yield process.pid
        finally:
            process.stdin.close()
