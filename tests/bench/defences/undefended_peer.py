"""A peer without the defences against strangers that cost time in an honest run: ``worker``, or ``client`` with words.

Nothing is confined, averages are plain means whoever sends what, nothing is compared with our own numbers, and reports
count as they are. What is signed and verified once, such as the run itself, stays.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from core.cli.main import run_command
from core.security.confinement.confine import SWITCH
from core.worker import __main__ as worker
from core.worker.process import process_tree

MODULE = "tests.bench.defences.undefended_peer"


def run_worker() -> None:
    """What `python -m core.worker` does, with fewer doubts."""
    set_up = process_tree.setup_fork_handling

    def set_up_without() -> None:
        set_up()  # before hivemind is imported
        _believe_everybody()

    process_tree.setup_fork_handling = set_up_without
    worker.main()


def _believe_everybody() -> None:
    from core.worker.swarm.averaging import allreduce, averager_process, part_reducers
    from core.worker.swarm.progress import progress_tracker

    def plain_runner(_averager: Any, **options: Any) -> allreduce.ValidatingRunner:
        return allreduce.ValidatingRunner(**options)

    replaced: tuple[tuple[Any, str, Callable[..., Any]], ...] = (
        (averager_process.AveragerProcess, "_make_runner", plain_runner),
        (allreduce, "is_plausible", lambda *_: True),
        (part_reducers, "is_plausible", lambda *_: True),
        (allreduce, "are_finite", lambda *_: True),
        (part_reducers, "part_error", lambda *_: ""),
        (averager_process, "are_finite", lambda *_: True),
        (progress_tracker, "cap_samples", lambda reports, *_: dict(reports)),
    )
    for owner, name, answer in replaced:
        assert hasattr(owner, name), name
        setattr(owner, name, answer)


def main() -> int:
    """One of the two; a client's worker is as trusting."""
    os.environ[SWITCH] = "off"
    role, *words = sys.argv[1:]
    if role == "worker":
        run_worker()
    return run_command(words, worker_command=[sys.executable, "-P", "-m", MODULE, "worker"])


if __name__ == "__main__":
    sys.exit(main())
