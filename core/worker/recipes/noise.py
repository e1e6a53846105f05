"""Blocks of tokens that mean nothing: for a dry run, which must not download what the run learns from."""

from __future__ import annotations

import torch
from torch import Tensor

from core.recipe_spec import LanguageModelSpec

_MASK_TOKEN = 0


class NoiseBlocks:
    """As many tokens as the model knows, in blocks of the run's length."""

    def __init__(self, spec: LanguageModelSpec) -> None:
        self.vocabulary_size, self.mask_token = spec.config.vocab_size, _MASK_TOKEN
        self._length = spec.sequence_length

    def draw(self, blocks: int) -> Tensor:
        """Other ones each time."""
        return torch.randint(self.vocabulary_size, (blocks, self._length))

    def held_out(self) -> Tensor:
        """As if it had been kept back."""
        return self.draw(1)

    def text(self, tokens: Tensor) -> str:
        """There is none."""
        return ""

    def close(self) -> None:
        """There is nothing to let go of."""
