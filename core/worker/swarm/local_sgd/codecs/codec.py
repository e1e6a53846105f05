"""What a codec of weight changes is: it makes a vector of bytes of n float32, and the numbers of it again.

Whoever decodes knows n, and refuses whatever is no encoding of so many numbers. All bytes are little-endian.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor


class Codec(ABC):
    """Encodes vectors of float32 as vectors of bytes."""

    @abstractmethod
    def size(self, numbers: int) -> int:
        """The length in bytes of the encoding of so many numbers."""

    def room(self, numbers: int) -> int:
        """The length in bytes of the longest encoding of so many numbers."""
        return self.size(numbers)

    @abstractmethod
    def encode(self, numbers: Tensor) -> Tensor:
        """The encoding, uint8, of a vector of finite float32."""

    def decode(self, encoded: Tensor, count: int) -> Tensor:
        """The ``count`` numbers that are encoded; raises ValueError where that is not an encoding of so many."""
        if encoded.dtype != torch.uint8 or encoded.dim() != 1 or not self.is_size(encoded, count):
            raise ValueError(f"{tuple(encoded.shape)} of {encoded.dtype} are no encoding of {count} numbers")
        decoded = self._decode(encoded, count)
        if not _is_finite(decoded):
            raise ValueError("what is encoded is not finite")
        return decoded

    def is_size(self, encoded: Tensor, count: int) -> bool:
        """Whether that vector of bytes is as long as an encoding of ``count`` numbers, which alone decides it."""
        return len(encoded) == self.size(count)

    @abstractmethod
    def _decode(self, encoded: Tensor, count: int) -> Tensor: ...


def _is_finite(numbers: Tensor) -> bool:
    """Whether all of them are; the least and the largest are not where any of them is NaN."""
    return not numbers.numel() or all(bool(extreme.isfinite()) for extreme in numbers.aminmax())


def rounded_up(scales: Tensor) -> Tensor:
    """The next bfloat16 that is not smaller: float32 without its lower 16 bits, plus one where they are not zero."""
    bits = scales.contiguous().view(torch.int32)
    return (((bits + 0xFFFF) >> 16) << 16).view(torch.float32).to(torch.bfloat16)
