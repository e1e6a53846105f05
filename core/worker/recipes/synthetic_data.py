"""Samples that mean nothing: for a dry run, which must not download what the run learns from."""

from __future__ import annotations

import torch
from torch import Tensor

from core.run.spec.recipe import ImageClassification, LanguageModelSpec
from core.worker.data import LabelledImages

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


class NoiseImages:
    """As large as the model wants them, of any of its classes."""

    def __init__(self, spec: ImageClassification) -> None:
        self._size, self._classes = spec.config.image_size, spec.config.num_labels

    def draw(self, images: int) -> LabelledImages:
        """Other ones each time."""
        pixels = torch.randint(256, (images, 3, self._size, self._size), dtype=torch.uint8)
        return LabelledImages(pixels, torch.randint(self._classes, (images,)))

    def held_out(self) -> LabelledImages:
        """As if they had been kept back."""
        return self.draw(1)

    def name(self, number: int) -> str:
        """There is none."""
        return ""

    def close(self) -> None:
        """There is nothing to let go of."""
