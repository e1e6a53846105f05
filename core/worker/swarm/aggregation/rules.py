"""The aggregation of what several peers send of one part: a weighted mean, robust where the run asks for that.

``clip`` scales each sender's part down to the median of their norms before the mean: whoever sends a thousand times too
much counts as much as the others. ``centered-clip`` does the same with the distances from the mean, some times over
(Karimireddy, He and Jaggi, arXiv:2012.10333). Both need three senders; with two there is no majority.

A sender counts as a ``share`` of one, from 0 to 1: all of it, or what `SenderShares` leaves to newcomers and to many
peers of one subnet. Medians, quarters and thirds are those of shares, so that a crowd which counts as four decides what
is usual no more than four do.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from itertools import accumulate

import torch
from torch import Tensor

from core.run.spec.collaboration import Aggregation
from core.worker.swarm.aggregation.medians import median_low

MIN_SENDERS = 3
MAX_RATIO = 100.0  # of a size or a weight to our own, or to the median: no honest peer of one run is so far away
CENTERED_CLIP_ITERATIONS = 5
_ROUNDING = 1e-9


def aggregate(
    parts: Sequence[Tensor],
    weights: Sequence[float],
    rule: Aggregation,
    weight_cap: float,
    shares: Sequence[float] | None = None,
) -> Tensor:
    """The aggregate of equally long vectors of float32, of each sender one; zeros where nobody has any weight.

    ``weights`` are those before the sender's share. From three senders on, the heaviest quarter of them has a third of
    all at the most, as has each one, and none counts for more than ``weight_cap`` times the median of all that are not
    zero: one who claims a billion samples is outvoted by two.
    """
    return counted_aggregate(parts, weights, rule, weight_cap, shares)[0]


def counted_aggregate(
    parts: Sequence[Tensor],
    weights: Sequence[float],
    rule: Aggregation,
    weight_cap: float,
    shares: Sequence[float] | None = None,
) -> tuple[Tensor, list[float]]:
    """The `aggregate`, and how far each part counts in it, from 0 to 1.

    That is its coefficient there, as a share of the one that its weight and its share alone would give it: 1 unless it
    was clipped or its weight was capped. A part without weight counts for nothing.
    """
    whole = shares or [1.0] * len(weights)
    sent = [index for index, weight in enumerate(weights) if weight > 0]
    if not sent:
        return torch.zeros_like(parts[0]), [0.0] * len(parts)
    claimed, senders = [weights[index] for index in sent], [whole[index] for index in sent]
    capped = _capped(claimed, senders, weight_cap)
    coefficients = (capped / capped.sum()).float()
    vector, coefficients = _combined(torch.stack([parts[index] for index in sent]), coefficients, senders, rule)
    alone = torch.tensor(list(map(operator.mul, claimed, senders)), dtype=torch.float64)
    counted = iter((coefficients.double() * alone.sum() / alone).clamp(max=1.0).tolist())
    return vector, [next(counted) if weight > 0 else 0.0 for weight in weights]


def _combined(stacked: Tensor, weights: Tensor, shares: Sequence[float], rule: Aggregation) -> tuple[Tensor, Tensor]:
    """The aggregate of rows by weights that add up to 1, and the coefficient that each row has in it.

    Both rules end in a linear combination.
    """
    if rule == "mean" or len(stacked) < MIN_SENDERS:
        return weighted_mean(stacked, weights), weights
    scales = _clip_scales(stacked, shares)
    clipped, coefficients = weighted_mean(stacked * scales[:, None], weights), weights * scales
    for _ in range(CENTERED_CLIP_ITERATIONS if rule == "centered-clip" else 0):
        distances = stacked - clipped
        scales = _clip_scales(distances, shares)
        clipped = clipped + weighted_mean(distances * scales[:, None], weights)
        coefficients = coefficients * (1 - weights @ scales) + weights * scales
    return clipped, coefficients


def _capped(weights: Sequence[float], shares: Sequence[float], cap: float) -> Tensor:
    """What each weight counts for, once it is capped and its sender's share is taken of it; see `aggregate`."""
    senders = torch.tensor(shares, dtype=torch.float64)
    if len(weights) < MIN_SENDERS:
        return torch.tensor(weights, dtype=torch.float64) * senders
    bounded = cap_heaviest(weights, shares)
    counted = senders * torch.tensor(bounded, dtype=torch.float64).clamp(max=cap * median_low(bounded, shares))
    *others, second, _largest = sorted(counted.tolist())
    second = min(second, sum(others))
    return counted.clamp(max=(sum(others) + second) / 2)


def cap_heaviest(weights: Sequence[float], shares: Sequence[float] | None = None) -> list[float]:
    """These weights, cut at the height that leaves the heaviest quarter of them a third of all at the most.

    The quarter is that of all senders whose weight is not zero, rounded down. A minority of liars who claim a billion
    samples each has no majority of the weight, and equal weights stay equal.
    """
    senders = zip(weights, shares or [1.0] * len(weights), strict=True)
    falling = sorted((each for each in senders if min(each) > 0), reverse=True)
    sums = [0.0, *accumulate(share for _, share in falling)]  # of the shares of so many of the heaviest
    heaviest, cap = sum(each <= (1 + _ROUNDING) * sums[-1] / 4 for each in sums) - 1, math.inf
    counted = [weight * share for weight, share in falling]
    for cut in range(1, len(falling)):  # so many weights are
        divisor = 3 * sums[min(cut, heaviest)] - sums[cut]
        if divisor <= _ROUNDING:
            break
        cap = (sum(counted[cut:]) - 3 * sum(counted[cut:heaviest])) / divisor
        if cap >= falling[cut][0]:
            break
    return [min(each, cap) for each in weights]


def weighted_mean(stacked: Tensor, shares: Tensor) -> Tensor:
    """The weighted mean of the rows, whose shares add up to 1."""
    mean: Tensor = stacked.T @ shares
    return mean


def norm_ratios(squares: Tensor, shares: Sequence[float]) -> dict[int, float]:
    """The norm of what each sender has sent ÷ the median of all, by the senders; from three on, and none of zeros.

    ``squares`` are the sums of the squares of what each has sent, zero where nothing came. That median is the norm to
    which ``clip`` scales down whatever is larger.
    """
    norms = squares.double().sqrt()
    sent = torch.nonzero(norms > 0).flatten()
    if len(sent) < MIN_SENDERS:
        return {}
    ratios = norms[sent] / median_low(norms[sent].tolist(), [shares[sender] for sender in sent.tolist()])
    return dict(zip(sent.tolist(), ratios.tolist(), strict=True))


def clip_rows(stacked: Tensor, shares: Sequence[float] | None = None) -> Tensor:
    """Each row scaled down to the median of all rows' norms, where it is longer."""
    return stacked * _clip_scales(stacked, shares or [1.0] * len(stacked))[:, None]


def _clip_scales(stacked: Tensor, shares: Sequence[float]) -> Tensor:
    norms = stacked.norm(dim=1)
    median = norms.new_tensor(median_low(norms.tolist(), shares))
    return torch.where(norms > median, median / norms, torch.ones_like(norms))
