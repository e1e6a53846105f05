"""What a run asks of a computer, estimated from its manifest alone: nothing is built or downloaded."""

from __future__ import annotations

from dataclasses import dataclass

from core.manifest import Collaboration, Compression, RunManifest
from core.recipe_size import RecipeSize, size_of

_FLOAT_BYTES = 4
_HOST_BYTES_PER_PARAMETER = 28  # measured: four processes of hivemind, overlap on
_HOST_BYTES = 450_000_000


@dataclass(frozen=True)
class Needs:
    """Bytes, and the model's size in parameters; ``sample_flop`` is what one sample costs to train on.

    ``trained_parameters`` are those that are averaged; ``model_bytes`` are the weights that the run begins
    with, where they come from a hub, and ``download_bytes`` the run's state. ``device_memory_bytes`` is
    without the driver's own share, which a CPU does not have; ``traffic_bytes`` is what a computer sends in
    one epoch, and receives, at the most.
    """

    parameters: int
    trained_parameters: int
    model_bytes: int
    download_bytes: int
    device_memory_bytes: int
    host_memory_bytes: int
    traffic_bytes: int
    sample_flop: int


def needs_of(manifest: RunManifest) -> Needs:
    """The estimate for that run."""
    size = size_of(manifest.recipe, manifest.data)
    return Needs(
        parameters=size.parameters,
        trained_parameters=size.trained,
        model_bytes=size.downloaded_bytes,
        download_bytes=_download_bytes(size.trained, manifest),
        device_memory_bytes=_device_memory_bytes(size, manifest),
        host_memory_bytes=_HOST_BYTES + _HOST_BYTES_PER_PARAMETER * size.trained,
        traffic_bytes=_traffic_bytes(size.trained, manifest.collaboration),
        sample_flop=size.sample_flop,
    )


def _download_bytes(parameters: int, manifest: RunManifest) -> int:
    """A newcomer's download: the parameters and the optimizer's state, which is never sent as float16."""
    parameter_bytes = _sent_bytes(manifest.collaboration.load_state_compression)
    return parameters * (parameter_bytes + len(manifest.optimizer.statistics) * _FLOAT_BYTES)


def _device_memory_bytes(size: RecipeSize, manifest: RunManifest) -> int:
    """Parameters, gradients, what backward keeps of forward, and the optimizer unless it is offloaded."""
    floats = 2 if manifest.collaboration.offload_optimizer else 2 + len(manifest.optimizer.statistics)
    kept = manifest.collaboration.batch_size_per_step * size.kept_floats
    return size.frozen_bytes + _FLOAT_BYTES * (floats * size.trained + kept)


def _traffic_bytes(parameters: int, collaboration: Collaboration) -> int:
    """At most twice what is averaged: the gradients, and every so many epochs weights and statistics."""
    gradients = 0 if collaboration.use_local_updates else _sent_bytes(collaboration.grad_compression)
    averaged = 1 + len(collaboration.average_opt_statistics)
    state = averaged * _sent_bytes(collaboration.state_averaging_compression)
    return round(2 * parameters * (gradients + state / collaboration.average_state_every))


def _sent_bytes(compression: Compression) -> int:
    """The size of one number on its way; what is added for a whole tensor is next to nothing."""
    match compression:
        case "none":
            return _FLOAT_BYTES
        case "float16" | "scaled_float16":
            return 2
        case "uniform_8bit" | "quantile_8bit" | "size_adaptive":
            return 1
