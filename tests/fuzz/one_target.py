"""`python -m tests.fuzz.one_target NAME FOLDER… [-libFuzzer=option]…`: feed one target until a limit or a defect."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType

HANG_SECONDS = 1.0  # of a core, for one input: however busy the computer is


class HangError(Exception):
    """An input has taken too long."""


def limited(feed: Callable[[bytes], None], seconds: float = HANG_SECONDS) -> Callable[[bytes], None]:
    """That target, which raises HangError for what takes so many seconds of a core."""

    def raise_hang(_signal: int, _frame: FrameType | None) -> None:
        raise HangError(f"it has taken {seconds} s")

    def feed_limited(data: bytes) -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        feed(data)
        signal.setitimer(signal.ITIMER_PROF, 0)

    signal.signal(signal.SIGPROF, raise_hang)
    return feed_limited


def main() -> None:
    """libFuzzer ends the process: 0 at a limit, another code for a defect, whose input it writes to a file."""
    import atheris

    with atheris.instrument_imports(include=["core"]):
        from core.worker.swarm.patches.msgpack_depth import limit_msgpack_depth
        from tests.fuzz.targets import targets
    limit_msgpack_depth()
    name, *arguments = sys.argv[1:]
    atheris.Setup([sys.argv[0], *arguments], limited(targets()[name].feed))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
