"""The manifest's section [collaboration], as the constructors of hivemind take it."""

from __future__ import annotations

from typing import Any

import msgspec
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

from core.run.spec.collaboration import LOCAL_SGD_OPTIONS, Collaboration, Compression, StateCompression
from core.worker.swarm.aggregation.aggregators import AggregationRule
from core.worker.swarm.averaging.timeouts import exchange_seconds

LARGE_TENSOR = 2**16 + 1  # as in hivemind's ALBERT example: below, 8 bits save little and cost much

TRACKER_OPTIONS = (
    "min_refresh_period",
    "default_refresh_period",
    "max_refresh_period",
    "expected_drift_peers",
    "expected_drift_rate",
    "metadata_expiration",
)
AVERAGER_OPTIONS = ("bandwidth", "powersgd_rank", "mode", "aggregation", "weight_cap")


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


def optimizer_options(collaboration: Collaboration, numbers: int) -> dict[str, Any]:
    """The manifest's section as hivemind.Optimizer takes it: the names are hivemind's own.

    hivemind's ``averaging_timeout`` is for the search and the exchange together. Ours is for the search, and leaves the
    exchange the time that the run says, or that a slow line needs for so many numbers.
    """
    told = msgspec.structs.asdict(collaboration)
    options = {name: told[name] for name in told.keys() - {*TRACKER_OPTIONS, *AVERAGER_OPTIONS, *LOCAL_SGD_OPTIONS}}
    averaged = (1 + len(collaboration.average_opt_statistics)) * numbers
    options["averaging_timeout"] += collaboration.allreduce_timeout or exchange_seconds(averaged)
    # WORKAROUND H41: with local updates, hivemind never gives an offloaded optimizer the gradients
    options["offload_optimizer"] = collaboration.is_optimizer_offloaded
    options["grad_compression"] = compression(collaboration.grad_compression)
    options["state_averaging_compression"] = compression(collaboration.state_averaging_compression)
    options["load_state_compression"] = download_compression(collaboration.load_state_compression)
    return options


def tracker_options(collaboration: Collaboration) -> dict[str, float | None]:
    """The manifest's options that the tracker takes."""
    max_epoch_seconds = {"max_epoch_seconds": collaboration.max_round_seconds}
    return max_epoch_seconds | {name: getattr(collaboration, name) for name in TRACKER_OPTIONS}


def aggregation_rule(collaboration: Collaboration) -> AggregationRule:
    """How gradients and states are averaged."""
    return AggregationRule(collaboration.aggregation, collaboration.weight_cap)
