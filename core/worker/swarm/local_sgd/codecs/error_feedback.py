"""Error feedback: what was left out of one round's changes is added to those of the next.

Of each block of 4,096 numbers only the 64 largest are sent; the rest is kept, decays, and grows again until it is among
the largest (Sarfi and others, SparseLoCo, arXiv:2508.15706, whose decay and density these are). Without it, what is
never among the largest would never be learned from others.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

BLOCK = 4096
KEPT = 64
DECAY = 0.95


class ErrorFeedback:
    """What of one peer's changes nobody has been sent, in bfloat16: 4 bytes a parameter with what the round leaves."""

    def __init__(self) -> None:
        self._errors: list[Tensor] | None = None
        self._next: list[Tensor] | None = None

    @torch.no_grad()
    def select(self, deltas: Iterable[Tensor]) -> None:
        """Put into each of the ``deltas`` the largest of the sum of its numbers and of what was left out before."""
        left = []
        for index, delta in enumerate(deltas):
            if self._errors is not None:
                delta.add_(self._errors[index].float(), alpha=DECAY)
            whole = delta.view(-1)
            selected = largest(whole)
            left.append((whole - selected).view_as(delta).to(torch.bfloat16))
            whole.copy_(selected)
        self._next = left

    def commit(self) -> None:
        """The round has taken what was selected last; until then, another selection begins where that one did."""
        if self._next is not None:
            self._errors, self._next = self._next, None


def largest(numbers: Tensor) -> Tensor:
    """The vector with zeros in place of all but the largest numbers of each block."""
    blocks = in_blocks(numbers)
    places = blocks.abs().topk(KEPT).indices
    kept = torch.zeros_like(blocks).scatter_(1, places, blocks.gather(1, places))
    return kept.view(-1)[: len(numbers)]


def in_blocks(numbers: Tensor) -> Tensor:
    """The numbers as (blocks, 4096), filled up with zeros."""
    missing = -len(numbers) % BLOCK
    return torch.nn.functional.pad(numbers, (0, missing)).view(-1, BLOCK)
