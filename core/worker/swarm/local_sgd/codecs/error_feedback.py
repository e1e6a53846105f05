"""Error feedback: what was left out of one round's changes is added to those of the next.

Of each block of 4,096 numbers only the 64 largest are sent; the rest is kept, decays, and grows again until it is among
the largest (Sarfi and others, SparseLoCo, arXiv:2508.15706, whose decay and density these are). Without it, what is
never among the largest would never be learned from others.
"""

from __future__ import annotations

import torch
from torch import Tensor

BLOCK = 4096
KEPT = 64
DECAY = 0.95


class ErrorFeedback:
    """What of one peer's changes nobody has been sent, in bfloat16: 4 bytes a parameter with what the round leaves.

    In each round `begin`, then `select` for every tensor or part in turn, then `commit` once the round has taken them.
    """

    def __init__(self) -> None:
        self._errors, self._next = list[Tensor](), list[Tensor]()

    def begin(self) -> None:
        """Select anew, where the last selection began unless it was committed."""
        self._next = []

    @torch.no_grad()
    def select(self, delta: Tensor) -> None:
        """Put into the next ``delta`` the largest of the sum of its numbers and of what was left out before."""
        index = len(self._next)
        if self._errors:
            delta.add_(self._errors[index].float(), alpha=DECAY)
        whole = delta.view(-1)
        selected = largest(whole)
        self._next.append((whole - selected).view_as(delta).to(torch.bfloat16))
        whole.copy_(selected)

    def commit(self) -> None:
        """The round has taken what was selected last."""
        if self._next:
            self._errors, self._next = self._next, []


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
