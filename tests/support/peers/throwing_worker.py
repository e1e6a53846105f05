"""A real worker whose supervised threads throw: ``python -m tests.support.peers.throwing_worker TIMES [NAME]``.

Each thread, or only the one of that name, throws so many times before it does its work.
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable

from core.worker.__main__ import main
from core.worker.process.supervisor import Supervisor


class ThrowingSupervisor(Supervisor):
    """Starts threads that throw at first."""

    def start(self, name: str, run: Callable[[], None]) -> threading.Thread:
        """As a Supervisor does."""
        times = int(sys.argv[1]) if name in sys.argv[2:] or not sys.argv[2:] else 0
        runs = itertools.count()

        def throw_at_first() -> None:
            if next(runs) < times:
                raise RuntimeError("thrown by a test")
            run()

        return super().start(name, throw_at_first)


if __name__ == "__main__":
    main(ThrowingSupervisor)
