"""The codecs by the names that a run file gives them, and how hivemind's averager sends what they have encoded."""

from __future__ import annotations

from typing import assert_never

from hivemind.averaging.partition import DEFAULT_PART_SIZE_BYTES
from hivemind.compression import CompressionInfo, NoCompression

from core.run.spec.collaboration import DeltaCodec
from core.worker.swarm.local_sgd.codecs.codec import Codec
from core.worker.swarm.local_sgd.codecs.dense import FLOAT_BYTES, Float16Codec, IntegerCodec
from core.worker.swarm.local_sgd.codecs.encoded_tensors import PART_NUMBERS
from core.worker.swarm.local_sgd.codecs.sparse import SparseCodec


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


class EncodedParts(NoCompression):
    """How hivemind's averager sends parts that are encoded already: as tensors of bytes."""

    def estimate_compression_ratio(self, info: CompressionInfo) -> float:
        """What makes hivemind cut tensors into parts of `PART_NUMBERS`, whatever the codec."""
        return float(DEFAULT_PART_SIZE_BYTES / (FLOAT_BYTES * PART_NUMBERS))
