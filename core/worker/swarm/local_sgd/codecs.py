"""Codecs of weight changes: float16, or integers of 8 or 4 bits with one scale for each block of numbers.

A part is a vector of n float32. Its encoding is a vector of bytes whose length n alone decides, so a receiver that
knows n refuses everything else. Block scales are bfloat16, which has the range of float32, rounded up: no number
exceeds the largest integer. The bytes of a scale, and of float16, are little-endian.

| codec | block | bytes a number | relative error on N(0, 1) |
| --- | --- | --- | --- |
| fp16 | the part, scaled to at most 1 | 2 | 0.0002 |
| int8 | 256 | 1.008 | 0.007 |
| int4 | 32 | 0.5625 | 0.10 |

Four bits for such changes lose nothing measurable (Douillard and others, Streaming DiLoCo, arXiv:2501.18512).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import assert_never

import torch
from hivemind.compression import CompressionBase, CompressionInfo, NoCompression
from hivemind.proto import runtime_pb2
from torch import Tensor

from core.run.spec.collaboration import DeltaCodec

_FLOAT_BYTES = 4
_SCALE_BYTES = 2


class Codec(ABC):
    """Encodes vectors of float32 as vectors of bytes."""

    @abstractmethod
    def size(self, numbers: int) -> int:
        """The length in bytes of the encoding of so many numbers."""

    @abstractmethod
    def encode(self, numbers: Tensor) -> Tensor:
        """The encoding, uint8, of a vector of finite float32."""

    def decode(self, encoded: Tensor, count: int) -> Tensor:
        """The ``count`` numbers that are encoded; raises ValueError where that is not an encoding of so many."""
        if encoded.dtype != torch.uint8 or encoded.dim() != 1 or len(encoded) != self.size(count):
            raise ValueError(f"{tuple(encoded.shape)} of {encoded.dtype} are no encoding of {count} numbers")
        decoded = self._decode(encoded, count)
        if not bool(decoded.isfinite().all()):
            raise ValueError("what is encoded is not finite")
        return decoded

    @abstractmethod
    def _decode(self, encoded: Tensor, count: int) -> Tensor: ...


class Float16Codec(Codec):
    """Half precision, after all numbers of the part were divided by the largest of them."""

    def size(self, numbers: int) -> int:
        """Two bytes a number, and the scale as float32."""
        return _FLOAT_BYTES + 2 * numbers

    def encode(self, numbers: Tensor) -> Tensor:
        """The scale, then the numbers; the scale of zeros is 1."""
        scale = numbers.abs().amax().reshape(1)
        scale = torch.where(scale > 0, scale, torch.ones(1))
        return torch.cat([scale.view(torch.uint8), (numbers / scale).half().view(torch.uint8)])

    def _decode(self, encoded: Tensor, count: int) -> Tensor:
        scale = encoded[:_FLOAT_BYTES].clone().view(torch.float32)
        return encoded[_FLOAT_BYTES:].clone().view(torch.float16).float() * scale


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
        blocks = self._in_blocks(numbers)
        scales = _rounded_up(blocks.abs().amax(dim=1) / self._largest)
        divisors = torch.where(scales > 0, scales.float(), torch.ones(()))
        integers = (blocks / divisors[:, None]).round_().to(torch.int8).view(-1)
        if self._bits == 8:
            packed = integers[: len(numbers)].view(torch.uint8)
        else:
            halves = (integers + self._largest).view(torch.uint8)
            packed = halves[0::2] | (halves[1::2] << 4)
        return torch.cat([scales.view(torch.uint8), packed])

    def _in_blocks(self, numbers: Tensor) -> Tensor:
        """The numbers as (blocks, block), filled up with zeros."""
        missing = -len(numbers) % self._block
        return torch.nn.functional.pad(numbers, (0, missing)).view(-1, self._block)

    def _decode(self, encoded: Tensor, count: int) -> Tensor:
        blocks = self._blocks(count)
        scales = encoded[: _SCALE_BYTES * blocks].clone().view(torch.bfloat16).float()
        packed = encoded[_SCALE_BYTES * blocks :]
        if self._bits == 8:
            integers = self._in_blocks(packed.view(torch.int8).float())
        else:
            halves = torch.stack([packed & 15, packed >> 4], dim=1)
            integers = halves.view(-1, self._block).float() - self._largest
        return (integers * scales[:, None]).view(-1)[:count]


def _rounded_up(scales: Tensor) -> Tensor:
    """The next bfloat16 that is not smaller: float32 without its lower 16 bits, plus one where they are not zero."""
    bits = scales.contiguous().view(torch.int32)
    return (((bits + 0xFFFF) >> 16) << 16).view(torch.float32).to(torch.bfloat16)


def codec(name: DeltaCodec) -> Codec:
    """The codec that the manifest names."""
    match name:
        case "fp16":
            return Float16Codec()
        case "int8":
            return IntegerCodec(bits=8, block=256)
        case "int4":
            return IntegerCodec(bits=4, block=32)
        case _:
            assert_never(name)


class CodecCompression(CompressionBase):
    """A codec as hivemind's averager sends tensors: a message holds the encoding, as a tensor of bytes."""

    compression_type = runtime_pb2.CompressionType.NONE

    def __init__(self, each: Codec) -> None:
        self._codec = each

    def compress(self, tensor: Tensor, info: CompressionInfo, allow_inplace: bool = False) -> runtime_pb2.Tensor:
        """The message with the encoding of a part."""
        return NoCompression().compress(self._codec.encode(tensor.detach().view(-1)), info)

    def extract(self, serialized_tensor: runtime_pb2.Tensor) -> Tensor:
        """The bytes of a message; `Codec.decode` makes numbers of them, knowing how many there must be."""
        extracted: Tensor = NoCompression().extract(serialized_tensor)
        return extracted

    def estimate_compression_ratio(self, info: CompressionInfo) -> float:
        """Bytes sent for a byte of float32, by which hivemind chooses the length of parts."""
        numbers = 2**16
        return self._codec.size(numbers) / (_FLOAT_BYTES * numbers)
