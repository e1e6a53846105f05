"""What a run asks of a computer, estimated from its manifest alone: nothing is built or downloaded."""

from __future__ import annotations

from dataclasses import dataclass

from core.data_spec import SumsData
from core.manifest import ArithmeticGPT, Collaboration, Compression, RunManifest

_FLOAT_BYTES = 4
_HOST_BYTES_PER_PARAMETER = 28  # measured: four processes of hivemind, overlap on
_HOST_BYTES = 450_000_000
_TOKENS, _DIGITS = 12, 10  # the digits, + and =; only digits are predicted


@dataclass(frozen=True)
class Needs:
    """Bytes, and the model's size in parameters; ``sample_flop`` is what one sample costs to train on.

    ``device_memory_bytes`` is without the driver's own share, which a CPU does not have; ``traffic_bytes`` is
    what a computer sends in one epoch, and receives, at the most.
    """

    parameters: int
    download_bytes: int
    device_memory_bytes: int
    host_memory_bytes: int
    traffic_bytes: int
    sample_flop: int


def needs_of(manifest: RunManifest) -> Needs:
    """The estimate for that run."""
    recipe, data, collaboration = manifest.recipe, manifest.data, manifest.collaboration
    parameters = parameters_of(recipe, data)
    return Needs(
        parameters=parameters,
        download_bytes=_download_bytes(parameters, manifest),
        device_memory_bytes=_device_memory_bytes(parameters, manifest),
        host_memory_bytes=_HOST_BYTES + _HOST_BYTES_PER_PARAMETER * parameters,
        traffic_bytes=_traffic_bytes(parameters, collaboration),
        sample_flop=6 * parameters * context_of(data),
    )


def parameters_of(recipe: ArithmeticGPT, data: SumsData) -> int:
    """How many numbers the model has that core/worker/recipes builds; a test compares."""
    width = recipe.width
    block = 12 * width**2 + 9 * width
    embeddings = (_TOKENS + context_of(data)) * width
    head = 2 * width + _DIGITS * width
    return recipe.layers * block + embeddings + head


def context_of(data: SumsData) -> int:
    """How many tokens the model reads in one sample."""
    return 3 * data.digits + 2


def _download_bytes(parameters: int, manifest: RunManifest) -> int:
    """A newcomer's download: the parameters and the optimizer's state, which is never sent as float16."""
    parameter_bytes = _sent_bytes(manifest.collaboration.load_state_compression)
    return parameters * (parameter_bytes + len(manifest.optimizer.statistics) * _FLOAT_BYTES)


def _device_memory_bytes(parameters: int, manifest: RunManifest) -> int:
    """Parameters, gradients, what backward keeps of forward, and the optimizer unless it is offloaded."""
    floats = 2 if manifest.collaboration.offload_optimizer else 2 + len(manifest.optimizer.statistics)
    return _FLOAT_BYTES * (floats * parameters + _kept_floats(manifest))


def _kept_floats(manifest: RunManifest) -> int:
    """What backward needs of one micro-batch: 18 vectors a token and layer, and the attention's weights."""
    recipe, tokens = manifest.recipe, context_of(manifest.data)
    per_token = 18 * recipe.width + 2 * recipe.heads * tokens
    return manifest.collaboration.batch_size_per_step * tokens * recipe.layers * per_token


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
