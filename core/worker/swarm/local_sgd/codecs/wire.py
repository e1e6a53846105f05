"""The codecs by the names that a run file gives them, and as hivemind's averager sends tensors."""

from __future__ import annotations

from typing import assert_never

from hivemind.compression import CompressionBase, CompressionInfo, NoCompression
from hivemind.proto import runtime_pb2
from torch import Tensor

from core.run.spec.collaboration import DeltaCodec
from core.worker.swarm.local_sgd.codecs.codec import Codec
from core.worker.swarm.local_sgd.codecs.dense import FLOAT_BYTES, Float16Codec, IntegerCodec
from core.worker.swarm.local_sgd.codecs.sparse import SparseCodec

MIN_RATIO = 1 / 8


def codec(name: DeltaCodec) -> Codec:
    """The codec that the manifest names."""
    match name:
        case "fp16":
            return Float16Codec()
        case "int8":
            return IntegerCodec(bits=8, block=256)
        case "int4":
            return IntegerCodec(bits=4, block=32)
        case "topk":
            return SparseCodec()
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
        """Bytes sent for a byte of float32, by which hivemind chooses the length of parts: at most 4 MiB of numbers."""
        numbers = 2**16
        return max(MIN_RATIO, self._codec.size(numbers) / (FLOAT_BYTES * numbers))
