"""A computer that computes some hundred samples a second: ``worker``, or ``client`` or ``window`` with a command line.

``client`` takes the commands of `workerbee`, ``window`` what `python -m app` takes.

Without a limit each peer of a test would compute as fast as a core does: several on one machine would slow each other
and everything else down, and the length of an epoch would be the machine's choice. Nothing else of them is different.

Where the environment variable `RECORD` of `recorded_worker` names the beginning of a path, each worker writes every
version that its base weights of local SGD have to a file there; its process id is the end of the path.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

SAMPLES_PER_SECOND = 300.0
_MODULE = "tests.support.peers.slow_computer"
WORKER = [sys.executable, "-P", "-m", _MODULE, "worker"]
CLIENT = [sys.executable, "-m", _MODULE, "client"]
WINDOW = [sys.executable, "-m", _MODULE, "window"]


def run_worker(also: Callable[[], None] = lambda: None) -> None:
    """What `python -m core.worker` does, with a speed; ``also`` is called before hivemind is imported."""
    from core.worker import __main__ as worker
    from core.worker.process import process_tree
    from tests.bench.local_sgd.recorded_worker import record_versions

    set_up = process_tree.setup_fork_handling
    with _opened_record() as record:

        def set_up_slowly() -> None:
            set_up()  # before hivemind is imported
            also()
            from core.worker.training.trainer import RateLimiter

            RateLimiter.__init__.__defaults__ = (SAMPLES_PER_SECOND,)
            if record is not None:
                record_versions(record)

        process_tree.setup_fork_handling = set_up_slowly
        worker.main()


def _opened_record() -> AbstractContextManager[IO[str] | None]:
    """The worker's record, if one is wanted; a confined worker could not open it."""
    from tests.bench.local_sgd.recorded_worker import RECORD

    if RECORD not in os.environ:
        return contextlib.nullcontext()
    return Path(f"{os.environ[RECORD]}{os.getpid()}").open("a", encoding="utf-8")


def run_client(words: list[str], worker_command: list[str] = WORKER) -> int:
    """What `workerbee` does, with a worker that has a speed."""
    from core.cli.main import run_command

    return run_command(words, worker_command=worker_command)


def open_window(words: list[str]) -> int:
    """What `python -m app` does, with a worker that has a speed."""
    from app import __main__, startup

    startup.open_window = functools.partial(startup.open_window, worker_command=WORKER)
    sys.argv[1:] = words
    return __main__.main()


def main() -> int:
    """One of the three."""
    role, *words = sys.argv[1:]
    if role == "worker":
        run_worker()
    return open_window(words) if role == "window" else run_client(words)


def is_worker(command: list[str]) -> bool:
    """Whether that is the command line of a worker, of a slow computer or of another."""
    return command[-2:] == WORKER[-2:] or "core.worker" in command


if __name__ == "__main__":
    sys.exit(main())
