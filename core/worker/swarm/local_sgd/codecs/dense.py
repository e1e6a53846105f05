"""Codecs of weight changes: float16, or integers of 8 or 4 bits with one scale for each block of numbers.

A part is a vector of n float32. Its encoding is a vector of bytes whose length n alone decides, so a receiver that
knows n refuses everything else. Block scales are bfloat16, which has the range of float32, rounded up: no number
exceeds the largest integer. The bytes of a scale, of float16 and of float32 are little-endian. Long parts are encoded
in pieces: what an operation leaves for the next one then stays in the processor's cache.

| codec | block | bytes a number | relative error on N(0, 1) |
| --- | --- | --- | --- |
| fp16 | the part, scaled to at most 1 | 2 | 0.0002 |
| int8 | 256 | 1.008 | 0.007 |
| int4 | 32 | 0.5625 | 0.10 |

Four bits for such changes lose nothing measurable (Douillard and others, Streaming DiLoCo, arXiv:2501.18512).
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.worker.swarm.local_sgd.codecs.codec import Codec, rounded_up

FLOAT_BYTES = 4
_SCALE_BYTES = 2
_PIECE = 2**18  # numbers, whole blocks: 1 MiB of float32


class Float16Codec(Codec):
    """Half precision, after all numbers of the part were divided by the largest of them."""

    def size(self, numbers: int) -> int:
        """Two bytes a number, and the scale as float32."""
        return FLOAT_BYTES + 2 * numbers

    def encode(self, numbers: Tensor) -> Tensor:
        """The scale, then the numbers; the scale of zeros is 1."""
        scale = numbers.abs().amax().reshape(1)
        scale = torch.where(scale > 0, scale, torch.ones(1))
        encoded = torch.empty(self.size(len(numbers)), dtype=torch.uint8)
        encoded[:FLOAT_BYTES] = scale.view(torch.uint8)
        halves = encoded[FLOAT_BYTES:].view(torch.float16)
        for piece, target in zip(torch.split(numbers, _PIECE), torch.split(halves, _PIECE), strict=True):
            target.copy_(piece / scale)
        return encoded

    def _decode(self, encoded: Tensor, count: int) -> Tensor:
        scale = encoded[:FLOAT_BYTES].clone().view(torch.float32)
        return encoded[FLOAT_BYTES:].clone().view(torch.float16).float().mul_(scale)


class IntegerCodec(Codec):
    """Symmetric integers of 8 or 4 bits, with one bfloat16 scale for each block of so many numbers."""

    def __init__(self, bits: int, block: int) -> None:
        self._bits, self._block = bits, block
        self._largest = 2 ** (bits - 1) - 1

    def _blocks(self, numbers: int) -> int:
        return -(-numbers // self._block)

    def size(self, numbers: int) -> int:
        """The integers of whole blocks of 4 bits, or of all numbers in 8 bits, and the scales."""
        blocks = self._blocks(numbers)
        integers = numbers if self._bits == 8 else blocks * self._block // 2
        return _SCALE_BYTES * blocks + integers

    def encode(self, numbers: Tensor) -> Tensor:
        """The scales, then the integers; two of 4 bits share a byte, the first in its lower half."""
        encoded = torch.empty(self.size(len(numbers)), dtype=torch.uint8)
        scales, packed = self._split(encoded, len(numbers))
        pieces = [self._in_blocks(piece) for piece in torch.split(numbers, _PIECE)]
        largest = torch.cat([blocks.abs().amax(dim=1) for blocks in pieces])
        scales.copy_(rounded_up(largest / self._largest))
        divisors = torch.where(scales > 0, scales.float(), torch.ones(()))[:, None]
        targets = torch.split(packed, _PIECE * self._bits // 8)
        for blocks, divisor, target in zip(pieces, torch.split(divisors, _PIECE // self._block), targets, strict=True):
            self._pack((blocks / divisor).round_().view(-1), target)
        return encoded

    def _pack(self, integers: Tensor, target: Tensor) -> None:
        """Write integers, as float32, to their bytes of the encoding."""
        if self._bits == 8:
            target.view(torch.int8).copy_(integers[: len(target)])
        else:
            pairs = integers.add_(self._largest).to(torch.uint8).view(torch.int16)
            target.copy_(pairs | (pairs >> 4))

    def _split(self, encoded: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """The scales, bfloat16, and the bytes of the integers, in an encoding of ``count`` numbers."""
        scale_bytes = _SCALE_BYTES * self._blocks(count)
        return encoded[:scale_bytes].view(torch.bfloat16), encoded[scale_bytes:]

    def _in_blocks(self, numbers: Tensor) -> Tensor:
        """The numbers as (blocks, block), filled up with zeros."""
        missing = -len(numbers) % self._block
        whole = torch.nn.functional.pad(numbers, (0, missing)) if missing else numbers
        return whole.view(-1, self._block)

    def _decode(self, encoded: Tensor, count: int) -> Tensor:
        scales, packed = self._split(encoded.clone(), count)  # whose scales may begin at an odd address
        decoded = torch.empty(len(scales) * self._block)
        integers = self._integers(packed)
        decoded[: len(integers)] = integers
        decoded[len(integers) :] = 0.0
        if self._bits == 4:
            decoded -= self._largest
        decoded.view(-1, self._block).mul_(scales.float()[:, None])
        return decoded[:count]

    def _integers(self, packed: Tensor) -> Tensor:
        """The integers in those bytes: of 8 bits with their signs, of 4 bits from zero on."""
        if self._bits == 8:
            return packed.view(torch.int8)
        pairs = packed.to(torch.int16)
        return (pairs | (pairs << 4)).bitwise_and_(0x0F0F).view(torch.uint8)
