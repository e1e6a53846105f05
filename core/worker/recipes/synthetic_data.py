"""Random samples for a dry run, which must not download the run's data."""

from __future__ import annotations

import torch
from torch import Tensor

from core.run.spec.recipe import ImageClassification, LanguageModelSpec, MoeLM
from core.worker.data import LabelledImages

_MASK_TOKEN = 0


class SyntheticBlocks:
    """Blocks of random tokens of the model's vocabulary, (blocks, sequence length) int64."""

    def __init__(self, spec: LanguageModelSpec | MoeLM) -> None:
        self.vocabulary_size, self.mask_token = spec.config.vocab_size, _MASK_TOKEN
        self._length = spec.sequence_length

    def draw(self, blocks: int) -> Tensor:
        """Draw so many new random samples."""
        return torch.randint(self.vocabulary_size, (blocks, self._length))

    def held_out(self) -> Tensor:
        """A validation set of one random sample."""
        return self.draw(1)

    def text(self, tokens: Tensor) -> str:
        """An empty text: random samples mean nothing."""
        return ""

    def close(self) -> None:
        """Do nothing: these samples come from no file."""


class SyntheticImages:
    """Random images of the model's size, uint8, of random classes."""

    def __init__(self, spec: ImageClassification) -> None:
        self._size, self._classes = spec.config.image_size, spec.config.num_labels

    def draw(self, images: int) -> LabelledImages:
        """Draw so many new random samples."""
        pixels = torch.randint(256, (images, 3, self._size, self._size), dtype=torch.uint8)
        return LabelledImages(pixels, torch.randint(self._classes, (images,)))

    def held_out(self) -> LabelledImages:
        """A validation set of one random image."""
        return self.draw(1)

    def name(self, number: int) -> str:
        """An empty text: random samples mean nothing."""
        return ""

    def close(self) -> None:
        """Do nothing: these samples come from no file."""
