"""What one part of an all-reduce must be like before it is counted: hivemind counts it first, and fails afterwards."""

from __future__ import annotations

import math

from torch import Size, Tensor

from core.worker.swarm.aggregation.rules import MAX_RATIO

MAX_WEIGHT = 2.0**40  # samples; those of a million peers in one round


def part_error(part: Tensor, shape: Size, weight: float) -> str:
    """Why a part of that weight cannot be averaged with ours of that ``shape``, in words; empty where it can.

    hivemind's reducer adds a part of one number to all of ours, and raises for other shapes, for whole numbers and for
    weights that are no float32, but only once it has counted the sender: then it waits for ever for one part more.
    """
    if part.shape != shape:
        return f"its shape is {tuple(part.shape)} and not {tuple(shape)}"
    if not part.is_floating_point():
        return f"its numbers are {part.dtype}"
    if not 0.0 <= weight <= MAX_WEIGHT:  # nor is a NaN
        return f"its weight is {weight:.3g}"
    return ""


def root_mean_square(numbers: Tensor) -> float:
    """How large numbers are, whatever their shape."""
    return float(numbers.norm()) / math.sqrt(max(1, numbers.numel()))


def is_plausible(sent: Tensor, usual: float) -> bool:
    """Whether numbers from somebody else may be used: finite, and not absurdly large beside our own of ``usual`` size.

    Sizes are root mean squares; an infinite one allows all that is finite.
    """
    size = root_mean_square(sent)
    return math.isfinite(size) and size <= MAX_RATIO * usual
