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
MAX_RATIO = 100.0  # of a size or a weight to our own, or to the median: no honest peer of one run is so far away
CENTERED_CLIP_ITERATIONS = 5


def aggregate(parts: Sequence[Tensor], weights: Sequence[float], rule: Aggregation, weight_cap: float) -> Tensor:
    """The aggregate of equally long vectors of float32, of each sender one; zeros where nobody has any weight.

    A weight counts for at most ``weight_cap`` times the median of all that are not zero, and from three senders on for
    at most a third of all: one who claims a billion samples is outvoted by two.
    """
    return counted_aggregate(parts, weights, rule, weight_cap)[0]


def counted_aggregate(
    parts: Sequence[Tensor], weights: Sequence[float], rule: Aggregation, weight_cap: float
) -> tuple[Tensor, list[float]]:
    """The `aggregate`, and how far each part counts in it, from 0 to 1.

    That is its coefficient there, as a share of the one that its weight alone would give it: 1 unless it was clipped or
    its weight was capped. A part without weight counts for nothing.
    """
    sent = [(part, weight) for part, weight in zip(parts, weights, strict=True) if weight > 0]
    if not sent:
        return torch.zeros_like(parts[0]), [0.0] * len(parts)
    claimed = torch.tensor([weight for _, weight in sent], dtype=torch.float64)
    capped = _capped(claimed, weight_cap)
    shares = (capped / capped.sum()).float()
    vector, coefficients = _combined(torch.stack([part for part, _ in sent]), shares, rule)
    counted = iter((coefficients.double() * claimed.sum() / claimed).clamp(max=1.0).tolist())
    return vector, [next(counted) if weight > 0 else 0.0 for weight in weights]


def _combined(stacked: Tensor, shares: Tensor, rule: Aggregation) -> tuple[Tensor, Tensor]:
    """The aggregate of rows, and the coefficient that each has in it: both rules end in a linear combination."""
    if rule == "mean" or len(stacked) < MIN_SENDERS:
        return weighted_mean(stacked, shares), shares
    scales = _clip_scales(stacked)
    clipped, coefficients = weighted_mean(stacked * scales[:, None], shares), shares * scales
    for _ in range(CENTERED_CLIP_ITERATIONS if rule == "centered-clip" else 0):
        distances = stacked - clipped
        scales = _clip_scales(distances)
        clipped = clipped + weighted_mean(distances * scales[:, None], shares)
        coefficients = coefficients * (1 - shares @ scales) + shares * scales
    return clipped, coefficients


def _capped(weights: Tensor, cap: float) -> Tensor:
    if len(weights) < MIN_SENDERS:
        return weights
    weights = weights.clamp(max=cap * float(weights.median()))
    *others, second, _largest = sorted(weights.tolist())
    second = min(second, sum(others))
    return weights.clamp(max=(sum(others) + second) / 2)


def cap_heaviest(weights: Sequence[float]) -> list[float]:
    """These weights, cut at the height that leaves the heaviest quarter of them a third of all at the most.

    The quarter is that of all weights that are not zero, rounded down. A minority of liars who claim a billion samples
    each has no majority of the weight, and equal weights stay equal.
    """
    falling = sorted((each for each in weights if each > 0), reverse=True)
    heaviest, cap = len(falling) // 4, math.inf
    for cut in range(1, 3 * heaviest):  # so many weights are
        uncut = sum(falling[cut:heaviest])
        cap = (sum(falling[cut:]) - 3 * uncut) / (3 * min(cut, heaviest) - cut)
        if cap >= falling[cut]:
            break
    return [min(each, cap) for each in weights]


def weighted_mean(stacked: Tensor, shares: Tensor) -> Tensor:
    """The weighted mean of the rows, whose shares add up to 1."""
    mean: Tensor = stacked.T @ shares
    return mean


def norm_ratios(squares: Tensor) -> dict[int, float]:
    """The norm of what each sender has sent ÷ the median of all, by the senders; from three on, and none of zeros.

    ``squares`` are the sums of the squares of what each has sent, zero where nothing came. That median is the norm to
    which ``clip`` scales down whatever is larger.
    """
    norms = squares.double().sqrt()
    sent = torch.nonzero(norms > 0).flatten()
    if len(sent) < MIN_SENDERS:
        return {}
    ratios = norms[sent] / norms[sent].median()
    return dict(zip(sent.tolist(), ratios.tolist(), strict=True))


def clip_rows(stacked: Tensor) -> Tensor:
    """Each row scaled down to the median of all rows' norms, where it is longer."""
    return stacked * _clip_scales(stacked)[:, None]


def _clip_scales(stacked: Tensor) -> Tensor:
    norms = stacked.norm(dim=1)
    median = norms.median()
    return torch.where(norms > median, median / norms, torch.ones_like(norms))
