"""The codec of sparse weight changes: the numbers that are not zero, in 8 bits, and where they stand, in 12.

A part is cut into blocks of 4,096 numbers. Its encoding holds, for each block, how many numbers it keeps (int16) and
their scale (bfloat16); then the places within their blocks, two in three bytes; then the numbers as integers of 8 bits.
All are little-endian. A block keeps its 768 largest numbers at the most, which is as long as int4 would be.

What a sender sends is made sparse before, see ``error_feedback.py``: 64 of 4,096, 0.04 bytes a number. An average has
the numbers of all its senders.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.worker.swarm.local_sgd.codecs.codec import Codec, rounded_up
from core.worker.swarm.local_sgd.codecs.error_feedback import BLOCK, KEPT, in_blocks

MAX_KEPT = 768  # of a block
_LARGEST = 127
_HEAD_BYTES = 4  # a block: how many, and the scale


class SparseCodec(Codec):
    """Numbers of which most are zero; how long an encoding is depends on how many are not."""

    def size(self, numbers: int) -> int:
        """The bytes of a sender's part, of which 64 in 4,096 are not zero."""
        blocks = -(-numbers // BLOCK)
        return blocks * _bytes_of(1, KEPT)

    def room(self, numbers: int) -> int:
        """The bytes of an average of many senders."""
        blocks = -(-numbers // BLOCK)
        return blocks * _bytes_of(1, MAX_KEPT)

    def encode(self, numbers: Tensor) -> Tensor:
        """The heads of the blocks, the places, then the integers."""
        blocks = in_blocks(numbers)
        is_kept = blocks != 0
        if int(is_kept.sum(dim=1).max()) > MAX_KEPT:
            largest = torch.zeros_like(is_kept).scatter_(1, blocks.abs().topk(MAX_KEPT).indices, value=True)
            is_kept &= largest
        counts = is_kept.sum(dim=1)
        rows, columns = is_kept.nonzero(as_tuple=True)
        scales = rounded_up(blocks.abs().amax(dim=1) / _LARGEST)
        integers = (blocks[rows, columns] / scales.float()[rows]).round_().to(torch.int8)
        heads = torch.stack([counts.to(torch.int16), scales.view(torch.int16)])
        return torch.cat([heads.view(-1).view(torch.uint8), _packed(columns), integers.view(torch.uint8)])

    def is_size(self, encoded: Tensor, count: int) -> bool:
        """Whether its heads are there, and tell of as many numbers as follow."""
        blocks = -(-count // BLOCK)
        if len(encoded) < _HEAD_BYTES * blocks:
            return False
        counts, _scales, _rest = _split(encoded, blocks)
        is_possible = blocks == 0 or (int(counts.min()) >= 0 and int(counts.max()) <= MAX_KEPT)
        return is_possible and len(encoded) == _bytes_of(blocks, int(counts.sum()))

    def _decode(self, encoded: Tensor, count: int) -> Tensor:
        blocks = -(-count // BLOCK)
        counts, scales, rest = _split(encoded, blocks)
        kept = int(counts.sum())
        rows = torch.repeat_interleave(torch.arange(blocks), counts)
        places = rows * BLOCK + _unpacked(rest[: len(rest) - kept], kept)
        if kept and (int(places[-1]) >= count or not bool((places.diff() > 0).all())):
            raise ValueError("the places of sparse numbers are not in order")
        decoded = torch.zeros(count)
        decoded[places] = rest[len(rest) - kept :].view(torch.int8).float() * scales.float()[rows]
        return decoded


def _bytes_of(blocks: int, kept: int) -> int:
    return _HEAD_BYTES * blocks + 3 * (-(-kept // 2)) + kept


def _split(encoded: Tensor, blocks: int) -> tuple[Tensor, Tensor, Tensor]:
    """How many numbers each block keeps, their scales, and the bytes of places and integers."""
    heads = encoded[: _HEAD_BYTES * blocks].clone().view(torch.int16).view(2, blocks)
    return heads[0].long(), heads[1].contiguous().view(torch.bfloat16), encoded[_HEAD_BYTES * blocks :].clone()


def _packed(places: Tensor) -> Tensor:
    """Two of 12 bits in three bytes; an odd one has a zero beside it."""
    pairs = torch.nn.functional.pad(places, (0, len(places) % 2)).view(-1, 2)
    first, second = pairs[:, 0], pairs[:, 1]
    three = torch.stack([first & 0xFF, (first >> 8) | ((second & 0xF) << 4), second >> 4], dim=1)
    return three.to(torch.uint8).view(-1)


def _unpacked(packed: Tensor, count: int) -> Tensor:
    three = packed.view(-1, 3).long()
    first = three[:, 0] | ((three[:, 1] & 0xF) << 8)
    second = (three[:, 1] >> 4) | (three[:, 2] << 4)
    return torch.stack([first, second], dim=1).view(-1)[:count]
