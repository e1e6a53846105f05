"""A worker with a pace, which writes down every version of its base weights: `python -m` this module.

Environment variables tell both: ``PACE`` in samples a second, ``RECORD`` the file of versions. Nothing else of it is
different from `python -m core.worker`.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import IO

from core.worker import __main__ as worker
from core.worker.process import process_tree

PACE = "WORKERBEE_BENCH_SAMPLES_PER_SECOND"
RECORD = "WORKERBEE_BENCH_VERSIONS"


def record_versions(file: IO[str]) -> None:
    """Append a line of JSON to that file whenever the base weights have another version.

    It was opened before the worker has confined itself.
    """
    from core.worker.swarm.local_sgd.round_log import RoundLog
    from core.worker.swarm.state_parts.messages import Version

    advance, end_at = RoundLog.advance, RoundLog.end_at

    def note(is_step: bool, version: Version) -> None:
        line = {"at": time.monotonic(), "is_step": is_step, "steps": version[0], "root": version[1].hex()}
        file.write(json.dumps(line) + "\n")
        file.flush()

    def recorded_advance(self: RoundLog, before: Version, after: Version) -> None:
        note(True, after)
        advance(self, before, after)

    def recorded_end_at(self: RoundLog, version: Version) -> None:
        note(False, version)
        end_at(self, version)

    RoundLog.advance, RoundLog.end_at = recorded_advance, recorded_end_at  # type: ignore[method-assign]


def main() -> None:
    """Be that worker until it is told to leave."""
    set_up = process_tree.setup_fork_handling
    with Path(os.environ[RECORD]).open("a", encoding="utf-8") as record:

        def set_up_recorded() -> None:
            set_up()  # before hivemind is imported
            from core.worker.training.trainer import RateLimiter

            RateLimiter.__init__.__defaults__ = (float(os.environ[PACE]),)
            record_versions(record)

        process_tree.setup_fork_handling = set_up_recorded
        worker.main()


if __name__ == "__main__":
    main()
