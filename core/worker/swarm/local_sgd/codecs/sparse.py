"""The codec of sparse weight changes: the numbers that are not zero, in 8 bits each, and how far they are apart.

The encoding of a part holds how many numbers it keeps (int32); a scale (bfloat16) for each block of 4,096 numbers; the
gaps, which are how many zeros stand before each number that is kept; then these numbers as integers of 8 bits. A gap is
a byte; 255 stands for as many zeros with no number behind them, so that the next byte goes on. All are little-endian. A
block keeps its 768 largest numbers at the most.

What a sender sends is made sparse before, see ``error_feedback.py``: of 64 in 4,096, where gaps of 255 are rare, 0.032
bytes a number. An average has the numbers of all its senders. Gaps in place of positions: Sattler and others, Sparse
Binary Compression, arXiv:1805.08768, who code them in fewer bits, one after the other.
"""

from __future__ import annotations

import torch
from torch import Tensor

from core.worker.swarm.local_sgd.codecs.codec import Codec, rounded_up
from core.worker.swarm.local_sgd.codecs.error_feedback import BLOCK, KEPT, in_blocks

MAX_KEPT = 768  # of a block
_LARGEST = 127
_LONGEST = 255  # of the zeros that a byte stands for
_COUNT_BYTES, _SCALE_BYTES = 4, 2


class SparseCodec(Codec):
    """Numbers of which most are zero; how long an encoding is depends on how many are not, and where they stand."""

    def size(self, numbers: int) -> int:
        """The bytes of a sender's part, of which 64 in 4,096 are not zero: about, as some gaps need two bytes."""
        return _head_bytes(numbers) + _blocks(numbers) * (2 * KEPT + 1)

    def room(self, numbers: int) -> int:
        """The bytes of an average of many senders, at the most."""
        return _head_bytes(numbers) + _blocks(numbers) * 2 * MAX_KEPT + numbers // _LONGEST

    def encode(self, numbers: Tensor) -> Tensor:
        """How many there are, the scales, the gaps, then the integers."""
        blocks = in_blocks(numbers)
        is_kept = blocks != 0
        if int(is_kept.sum(dim=1).max()) > MAX_KEPT:
            largest = torch.zeros_like(is_kept).scatter_(1, blocks.abs().topk(MAX_KEPT).indices, value=True)
            is_kept &= largest
        places = is_kept.view(-1).nonzero().view(-1)
        scales = rounded_up(blocks.abs().amax(dim=1) / _LARGEST)
        integers = (blocks.view(-1)[places] / scales.float()[places // BLOCK]).round_().to(torch.int8)
        count = torch.tensor([len(places)], dtype=torch.int32)
        return torch.cat([each.view(torch.uint8) for each in (count, scales, _gaps(places), integers)])

    def is_size(self, encoded: Tensor, count: int) -> bool:
        """Whether it has a scale for each block, as many gaps as integers, and no more than there can be."""
        head = _head_bytes(count)
        if not head <= len(encoded) <= self.room(count):
            return False
        kept = _kept(encoded)
        gaps = len(encoded) - head - kept
        return 0 <= kept <= gaps and int((encoded[head : head + gaps] != _LONGEST).sum()) == kept

    def _decode(self, encoded: Tensor, count: int) -> Tensor:
        head, kept = _head_bytes(count), _kept(encoded)
        scales = encoded[_COUNT_BYTES:head].clone().view(torch.bfloat16)
        gaps, integers = encoded[head : len(encoded) - kept], encoded[len(encoded) - kept :].view(torch.int8)
        places = _places(gaps)
        if kept and int(places[-1]) >= count:
            raise ValueError("sparse numbers stand behind the end of their part")
        decoded = torch.zeros(count)
        decoded[places] = integers.float() * scales.float()[places // BLOCK]
        return decoded


def _blocks(count: int) -> int:
    return -(-count // BLOCK)


def _head_bytes(count: int) -> int:
    return _COUNT_BYTES + _SCALE_BYTES * _blocks(count)


def _kept(encoded: Tensor) -> int:
    return int(encoded[:_COUNT_BYTES].clone().view(torch.int32))


def _gaps(places: Tensor) -> Tensor:
    """How many zeros stand before each of these places, which are in order, and behind the one before it."""
    zeros = places.diff(prepend=places.new_full((1,), -1)) - 1
    lasts = (zeros // _LONGEST + 1).cumsum(0) - 1
    gaps = torch.full((int(lasts[-1]) + 1 if len(lasts) else 0,), _LONGEST, dtype=torch.uint8)
    gaps[lasts] = (zeros % _LONGEST).to(torch.uint8)
    return gaps


def _places(gaps: Tensor) -> Tensor:
    """The places before which there are these gaps."""
    (lasts,) = (gaps != _LONGEST).nonzero(as_tuple=True)
    return gaps.long().cumsum(0)[lasts] + torch.arange(len(lasts))
