"""A plain hivemind peer that says which bandwidths its groups tell each other: ``FOLDER ADDRESS LISTEN``.

It trains as `hivemind_scripts.train` does. hivemind's function that divides the work of averaging is wrapped, in this
peer only, which stands for a user who looks into it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from hivemind.averaging import averager

from tests.integration.foreign import hivemind_scripts

divide = averager.load_balance_peers


def witness(size: int, bandwidths: Sequence[float | None], *rest: int) -> tuple[int, ...]:
    """What hivemind's own function makes of it, which is told."""
    shares = divide(size, bandwidths, *rest)
    hivemind_scripts.say(bandwidths=list(bandwidths), shares=[share / size for share in shares])
    return tuple(shares)


if __name__ == "__main__":
    averager.load_balance_peers = witness
    hivemind_scripts.LOOPBACK[:] = [sys.argv[3]]
    hivemind_scripts.train(Path(sys.argv[1]), sys.argv[2])
