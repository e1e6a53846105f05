"""Float32 tensors kept as their encodings: about a byte a number in place of four, with the codec's error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import torch
from torch import Tensor

from core.worker.swarm.local_sgd.codecs.codec import Codec

PART_NUMBERS = 2**19  # whole blocks of every codec


class EncodedTensors:
    """The encodings of tensors of those ``shapes``, each in parts of `PART_NUMBERS`; at first none has any.

    They lie in one buffer, which ``is_shared`` with the processes that are forked later. A part without an encoding
    stands for zeros.
    """

    def __init__(self, shapes: Iterable[Sequence[int]], codec: Codec, *, is_shared: bool = False) -> None:
        self._codec, self._shapes = codec, [torch.Size(shape) for shape in shapes]
        split = [_part_lengths(shape.numel()) for shape in self._shapes]
        self._firsts = [0, *accumulate(map(len, split))]
        self._lengths = [length for lengths in split for length in lengths]
        self._starts = [0, *accumulate(map(codec.room, self._lengths))]
        self._bytes = torch.empty(self._starts[-1], dtype=torch.uint8)
        self._used = torch.zeros(len(self._lengths), dtype=torch.int64)
        self._sizes = torch.zeros(len(self._lengths))
        for tensor in (self._bytes, self._used, self._sizes) if is_shared else ():
            tensor.share_memory_()  # type: ignore[no-untyped-call]

    @classmethod
    def of(cls, tensors: Sequence[Tensor], codec: Codec) -> EncodedTensors:
        """The encodings of finite tensors on the CPU."""
        encoded = cls([tensor.shape for tensor in tensors], codec)
        for index, tensor in enumerate(tensors):
            encoded.encode(index, tensor)
        return encoded

    def encode(self, index: int, tensor: Tensor) -> None:
        """Take the place of the tensor of that index; ``tensor`` is finite, and on the CPU."""
        for number, part in zip(self.part_numbers(index), in_parts(tensor.contiguous()), strict=True):
            self.encode_part(number, part)

    def encode_part(self, number: int, part: Tensor) -> None:
        """Take the place of the part of that number; ``part`` is a finite vector on the CPU."""
        self.put(number, self._codec.encode(part))
        self._sizes[number] = part.norm() / max(1, len(part)) ** 0.5

    def put(self, number: int, encoded: Tensor) -> None:
        """Take the place of the part of that number; raises ValueError where there is no room for so many bytes."""
        start, end = self._starts[number : number + 2]
        if len(encoded) > end - start:
            raise ValueError(f"{len(encoded)} bytes are no encoding of {self._lengths[number]} numbers")
        self._bytes[start : start + len(encoded)] = encoded
        self._used[number] = len(encoded)

    def copy_(self, other: EncodedTensors) -> None:
        """Take the parts of another, of the same shapes and codec."""
        for number in range(len(self._lengths)):
            self.put(number, other.part(number))

    def clear(self) -> None:
        """Forget all parts, so that every tensor stands for zeros."""
        self._used.zero_()

    @property
    def is_whole(self) -> bool:
        """Whether every part has an encoding."""
        return bool((self._used > 0).all())

    def part(self, number: int) -> Tensor:
        """The encoding of the part of that number, where it lies; no bytes where there is none."""
        start = self._starts[number]
        return self._bytes[start : start + int(self._used[number])]

    def room(self, number: int) -> int:
        """How many bytes an encoding of the part of that number has at the most."""
        return self._starts[number + 1] - self._starts[number]

    def size(self, number: int) -> float:
        """The root mean square of the numbers that were encoded as that part."""
        return float(self._sizes[number])

    def decoded(self, index: int) -> Tensor:
        """The tensor of that index, in float32; raises ValueError where a part is no encoding."""
        parts = [self.decoded_part(number) for number in self.part_numbers(index)]
        return (parts[0] if len(parts) == 1 else torch.cat(parts)).view(self._shapes[index])

    def part_numbers(self, index: int) -> range:
        """The numbers of the parts of the tensor of that index."""
        return range(self._firsts[index], self._firsts[index + 1])

    def decoded_part(self, number: int) -> Tensor:
        """The part of that number as a vector of float32; raises ValueError where it is no encoding."""
        encoded, length = self.part(number), self._lengths[number]
        return self._codec.decode(encoded, length) if len(encoded) else torch.zeros(length)

    def lengths(self) -> list[int]:
        """How many numbers each part has, in order."""
        return list(self._lengths)

    def parts(self) -> list[Tensor]:
        """The encoding of each part, in order."""
        return [self.part(number) for number in range(len(self._lengths))]


def in_parts(tensor: Tensor) -> tuple[Tensor, ...]:
    """Views of a contiguous tensor, in vectors as long as its parts: work on one at a time needs little memory."""
    return torch.split(tensor.detach().view(-1), PART_NUMBERS)


def changes_of(base: Tensor, weights: Tensor) -> Iterator[Tensor]:
    """Base weights, on the CPU, minus those weights, wherever they are: in float32, part by part."""
    for before, after in zip(in_parts(base), in_parts(weights), strict=True):
        yield before - after.to("cpu", torch.float32)


def _part_lengths(numbers: int) -> list[int]:
    whole, rest = divmod(numbers, PART_NUMBERS)
    return [PART_NUMBERS] * whole + [rest] * (rest > 0 or not whole)
