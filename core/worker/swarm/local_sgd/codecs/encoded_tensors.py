"""Float32 tensors kept as their encodings: about a byte a number in place of four, with the codec's error."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from core.worker.swarm.local_sgd.codecs.codec import Codec

PART_NUMBERS = 2**17  # as many as in the parts of an exchange


class EncodedTensors:
    """The encodings of finite ``tensors`` on the CPU, in parts of `PART_NUMBERS`."""

    def __init__(self, tensors: Iterable[Tensor], codec: Codec) -> None:
        self._codec = codec
        self._shapes, self._encoded = list[torch.Size](), list[list[tuple[int, Tensor]]]()
        for tensor in tensors:
            parts = torch.split(tensor.view(-1), PART_NUMBERS)
            self._shapes.append(tensor.shape)
            self._encoded.append([(len(part), codec.encode(part)) for part in parts])

    def decoded(self, index: int) -> Tensor:
        """The tensor of that index, in float32."""
        parts = [self._codec.decode(encoded, length) for length, encoded in self._encoded[index]]
        return torch.cat(parts).view(self._shapes[index])

    def lengths(self) -> list[int]:
        """How many numbers each part has, in order."""
        return [length for parts in self._encoded for length, _ in parts]

    def parts(self) -> list[Tensor]:
        """The encoding of each part, in order."""
        return [encoded for parts in self._encoded for _, encoded in parts]
