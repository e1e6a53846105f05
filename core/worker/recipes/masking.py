"""What masked language models learn from: tokens that are hidden from them."""

from __future__ import annotations

import torch
from torch import Tensor

from core.worker.recipes.recipe import Batch

SHARE = 0.15
NOT_ASKED = -100  # the target of a token that is not to be guessed; torch's own number for it
_HIDDEN, _KEPT = 0.8, 0.1  # of the tokens to be guessed; the rest becomes any other token


class Masking:
    """Hides the same number of tokens of every block, so that each block counts the same in a loss.

    Of those to be guessed 80 % become the mask, 10 % some other token and 10 % stay, as in BERT.
    """

    def __init__(self, vocabulary_size: int, mask_token: int, seed: int) -> None:
        self._vocabulary_size, self._mask_token = vocabulary_size, mask_token
        self._generator = torch.Generator().manual_seed(seed)  # on the CPU: the same for every device

    def pose(self, blocks: Tensor) -> Batch:
        """Blocks with hidden tokens, and what they were; (blocks, tokens) both, on the CPU."""
        asked = self._chosen(blocks.shape)
        targets = torch.where(asked, blocks, NOT_ASKED)
        what = torch.rand(blocks.shape, generator=self._generator)
        others = torch.randint(self._vocabulary_size, blocks.shape, generator=self._generator)
        inputs = torch.where(asked & (what < _HIDDEN), self._mask_token, blocks)
        inputs = torch.where(asked & (what >= _HIDDEN + _KEPT), others, inputs)
        return Batch(inputs, targets)

    def _chosen(self, shape: torch.Size) -> Tensor:
        """Which tokens are to be guessed: as many in each block, one at least."""
        count = max(1, round(SHARE * shape[1]))
        places = torch.rand(shape, generator=self._generator).topk(count, dim=1).indices
        return torch.zeros(shape, dtype=torch.bool).scatter(1, places, value=True)
