"""Stands for a computer whose clock is wrong: Python finds this by itself in a folder of its path.

A file says by how many seconds; it may say something else later, as a clock that is set. It is opened once, because a
worker that has confined itself could not open it.
"""

import os
import time

LOOK_SECONDS = 0.5

_file = os.open(os.environ["WORKERBEE_TEST_CLOCK"], os.O_RDONLY)
_right = time.time
_ahead, _looked_at = 0.0, float("-inf")


def _wrong() -> float:
    global _ahead, _looked_at
    if time.monotonic() - _looked_at > LOOK_SECONDS:
        said = os.pread(_file, 100, 0)  # nothing, where it is being written
        _ahead, _looked_at = float(said) if said else _ahead, time.monotonic()
    return _right() + _ahead


time.time = _wrong
