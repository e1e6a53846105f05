"""The manifest's compressions, as objects of hivemind."""

from __future__ import annotations

from hivemind.compression import (
    CompressionBase,
    Float16Compression,
    NoCompression,
    Quantile8BitQuantization,
    RoleAdaptiveCompression,
    ScaledFloat16Compression,
    SizeAdaptiveCompression,
    Uniform8BitQuantization,
)

from core.run.spec.collaboration import Compression, StateCompression

LARGE_TENSOR = 2**16 + 1  # as in hivemind's ALBERT example: below, 8 bits save little and cost much


def compression(name: Compression) -> CompressionBase:
    """The compression of tensors that are averaged."""
    match name:
        case "none":
            return NoCompression()
        case "float16":
            return Float16Compression()
        case "scaled_float16":
            return ScaledFloat16Compression()
        case "uniform_8bit":
            return Uniform8BitQuantization()
        case "quantile_8bit":
            return Quantile8BitQuantization()
        case "size_adaptive":
            small, large = Float16Compression(), Uniform8BitQuantization()
            return SizeAdaptiveCompression(threshold=LARGE_TENSOR, less=small, greater_equal=large)


def download_compression(name: StateCompression) -> CompressionBase:
    """The compression of the state that a newcomer downloads.

    Never for the optimizer's own part: Adam's second moments below 3e-8 would become zero.
    """
    if name == "none":
        return NoCompression()
    return RoleAdaptiveCompression(parameter=compression(name), default=NoCompression())
