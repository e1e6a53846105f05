"""The aggregation of parameters and statistics of the optimizer, which all peers have nearly the same.

The centre is the median of each number by itself. Two honest senders of three that have the same number have it for
the third one, too, and nobody pulls the centre out of the range of the honest ones, as long as they are the majority.
What each sender differs from it is clipped to the median of these distances, as `rules` does it with gradients.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from core.worker.swarm.aggregation.rules import clip_rows, weighted_mean

MAX_WEIGHT = 1.0  # of one peer, whatever it claims


def aggregate_states(parts: Sequence[Tensor], weights: Sequence[float], is_robust: bool) -> Tensor:
    """The aggregate of equally long vectors of float32, of each sender one; the plain mean where nobody has a weight.

    A weight counts for at most 1, which is what a plain hivemind peer has.
    """
    bounded = torch.tensor([min(weight, MAX_WEIGHT) for weight in weights])
    if not bounded.any():
        bounded = torch.ones(len(parts))
    stacked = torch.stack([part for part, weight in zip(parts, bounded.tolist(), strict=True) if weight > 0])
    shares = bounded[bounded > 0] / bounded.sum()
    if not is_robust:
        return weighted_mean(stacked, shares)
    centre = stacked.quantile(0.5, dim=0) if len(stacked) % 2 == 0 else stacked.median(dim=0).values
    return centre + weighted_mean(clip_rows(stacked - centre), shares)
