"""Stands for a computer whose clock is wrong: Python finds this by itself in a folder of its path.

A file says by how many seconds; it may say something else later, as a clock that is set.
"""

import os
import time
from pathlib import Path

LOOK_SECONDS = 0.5

_file = Path(os.environ["WORKERBEE_TEST_CLOCK"])
_right = time.time
_ahead, _looked_at = 0.0, float("-inf")


def _wrong() -> float:
    global _ahead, _looked_at
    if time.monotonic() - _looked_at > LOOK_SECONDS:
        _ahead, _looked_at = float(_file.read_text()), time.monotonic()
    return _right() + _ahead


time.time = _wrong
