"""The aggregation of what several peers send of one part: a weighted mean, robust where the run asks for that.

``clip`` scales each sender's part down to the median of their norms before the mean: whoever sends a thousand times too
much counts as much as the others. ``centered-clip`` does the same with the distances from the mean, some times over
(Karimireddy, He and Jaggi, arXiv:2012.10333). Both need three senders; with two there is no majority.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from core.run.spec.collaboration import Aggregation

MIN_SENDERS = 3
CENTERED_CLIP_ITERATIONS = 5


def aggregate(parts: Sequence[Tensor], weights: Sequence[float], rule: Aggregation, weight_cap: float) -> Tensor:
    """The aggregate of equally long vectors of float32, of each sender one; zeros where nobody has any weight.

    A weight counts for at most ``weight_cap`` times the median of all that are not zero, and from three senders on for
    at most a third of all: one who claims a billion samples is outvoted by two.
    """
    sent = [(part, weight) for part, weight in zip(parts, weights, strict=True) if weight > 0]
    if not sent:
        return torch.zeros_like(parts[0])
    stacked = torch.stack([part for part, _ in sent])
    shares = _capped(torch.tensor([weight for _, weight in sent], dtype=torch.float64), weight_cap)
    shares = (shares / shares.sum()).float()
    if rule == "mean" or len(sent) < MIN_SENDERS:
        return weighted_mean(stacked, shares)
    clipped = weighted_mean(clip_rows(stacked), shares)
    if rule == "clip":
        return clipped
    for _ in range(CENTERED_CLIP_ITERATIONS):
        clipped = clipped + weighted_mean(clip_rows(stacked - clipped), shares)
    return clipped


def _capped(weights: Tensor, cap: float) -> Tensor:
    if len(weights) < MIN_SENDERS:
        return weights
    weights = weights.clamp(max=cap * float(weights.median()))
    *others, second, _largest = sorted(weights.tolist())
    second = min(second, sum(others))
    return weights.clamp(max=(sum(others) + second) / 2)


def cap_heaviest(weights: Sequence[float]) -> list[float]:
    """These weights, of which the heaviest quarter of all that are not zero, rounded down, has a third at the most.

    A minority of liars who claim a billion samples each has no majority of the weight.
    """
    counted = sorted(each for each in weights if each > 0)
    heaviest, cap = len(counted) // 4, math.inf
    for clamped in range(heaviest, 3 * heaviest):
        lighter = counted[: len(counted) - clamped]
        cap = sum(lighter) / (3 * heaviest - clamped)
        if cap >= lighter[-1]:
            break
    return [min(each, cap) for each in weights]


def weighted_mean(stacked: Tensor, shares: Tensor) -> Tensor:
    """The weighted mean of the rows, whose shares add up to 1."""
    mean: Tensor = stacked.T @ shares
    return mean


def clip_rows(stacked: Tensor) -> Tensor:
    """Each row scaled down to the median of all rows' norms, where it is longer."""
    norms = stacked.norm(dim=1)
    scales: Tensor = (norms.median() / norms.clamp(min=torch.finfo(torch.float32).tiny)).clamp(max=1.0)
    return stacked * scales[:, None]
