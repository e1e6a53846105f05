"""What a run requires of a computer, estimated from its manifest alone: nothing is built or downloaded."""

from __future__ import annotations

from dataclasses import dataclass

from core.run.manifest import RunManifest
from core.run.spec.collaboration import Collaboration, Compression, DeltaCodec
from core.run.spec.data import DataSpec, ImageFiles, TextFiles
from core.run.spec.recipe_cost import ExpertsSize, RecipeSize, size_of

_FLOAT_BYTES, _BFLOAT_BYTES = 4, 2
_HOST_BYTES_PER_PARAMETER = 28  # measured: four processes of hivemind, overlap on
_HOST_BYTES = 450_000_000
# Sent of a parameter; see core/worker/swarm/local_sgd/codecs
_DELTA_BYTES: dict[DeltaCodec, float] = {"fp16": 2.0, "int8": 258 / 256, "int4": 18 / 32, "topk": 131 / 4096}
_MOST_SPARSE_SENDERS = 12  # whose numbers an average in ``topk`` can hold


@dataclass(frozen=True)
class ResourceRequirements:
    """The resources that a run needs: bytes, parameters, and the ``sample_flop`` to train on one sample.

    ``trained_parameters`` are those that are averaged. ``download_bytes`` is the run's state;
    ``fetched_bytes`` are files, which stay on the disk: the data, and a model to begin with.
    ``device_memory_bytes`` is without the driver's own share, which a CPU does not have; ``traffic_bytes`` is
    what a computer sends in one epoch, and receives, at the most (with ``topk``, receives of one other peer). All of
    that is without the ``experts``, which their hosts have.
    """

    parameters: int
    trained_parameters: int
    download_bytes: int
    fetched_bytes: int
    device_memory_bytes: int
    host_memory_bytes: int
    traffic_bytes: int
    sample_flop: int
    experts: ExpertsSize | None = None


def estimate_requirements(manifest: RunManifest) -> ResourceRequirements:
    """The resources that the run of a manifest needs."""
    size = size_of(manifest.recipe, manifest.data)
    return ResourceRequirements(
        parameters=size.parameters,
        trained_parameters=size.trained,
        download_bytes=_download_bytes(size.trained, manifest),
        fetched_bytes=size.pretrained_bytes + _file_bytes(manifest.data),
        device_memory_bytes=_device_memory_bytes(size, manifest),
        host_memory_bytes=_HOST_BYTES + size.library_bytes + _host_bytes_per_parameter(manifest) * size.trained,
        traffic_bytes=_traffic_bytes(size.trained, manifest.collaboration),
        sample_flop=size.sample_flop,
        experts=size.experts,
    )


def _host_bytes_per_parameter(manifest: RunManifest) -> int:
    """PowerSGD and ``topk`` keep what was not sent, and add it to what they average."""
    more = 0 if manifest.collaboration.powersgd_rank is None else 2 * _FLOAT_BYTES
    more += _FLOAT_BYTES if manifest.collaboration.delta_codec == "topk" else 0
    return _HOST_BYTES_PER_PARAMETER + more


def _file_bytes(data: DataSpec) -> int:
    """What is kept of them; a stream from a hub's data set is never on the disk as a whole."""
    return data.kept_bytes if isinstance(data, TextFiles | ImageFiles) else 0


def _download_bytes(parameters: int, manifest: RunManifest) -> int:
    """A newcomer's download: the parameters and the optimizer's state, which is never sent as float16.

    With local-sgd it is the base weights and the outer momentum, in bfloat16.
    """
    if manifest.collaboration.mode == "local-sgd":
        return (_FLOAT_BYTES + _BFLOAT_BYTES) * parameters
    parameter_bytes = _sent_bytes(manifest.collaboration.load_state_compression)
    return round(parameters * (parameter_bytes + manifest.optimizer.kept_bytes))


def _device_memory_bytes(size: RecipeSize, manifest: RunManifest) -> int:
    """Parameters, gradients, what backward keeps of forward, and the optimizer unless it is offloaded.

    In fp32 that is 4 bytes for a parameter, 4 for its gradient and, with Adam, 8 for its two statistics
    (Rajbhandari and others, ZeRO, arXiv:1910.02054, section 3.1).
    Where each computer finds its own micro-batch, it is the least: of one sample.
    """
    statistics = 0.0 if manifest.collaboration.is_optimizer_offloaded else manifest.optimizer.kept_bytes
    kept = manifest.collaboration.sure_batch_size * size.kept_floats
    weights = (2 * _FLOAT_BYTES + statistics) * size.trained
    return size.frozen_bytes + round(weights) + _FLOAT_BYTES * kept


def _traffic_bytes(parameters: int, collaboration: Collaboration) -> int:
    """At most twice what is averaged: the gradients, and every so many epochs weights and statistics.

    With local-sgd it is what has changed, once.
    """
    if collaboration.mode == "local-sgd":
        return round(2 * parameters * _DELTA_BYTES[collaboration.delta_codec])
    gradients = 0 if collaboration.use_local_updates else _sent_bytes(collaboration.grad_compression)
    averaged = 1 + len(collaboration.average_opt_statistics)
    state = averaged * _sent_bytes(collaboration.state_averaging_compression)
    return round(2 * parameters * (gradients + state / collaboration.average_state_every))


def received_share(collaboration: Collaboration, senders: int = _MOST_SPARSE_SENDERS) -> int:
    """How many times as much as it sends a computer receives; with ``topk`` an average has all senders' numbers."""
    return min(senders, _MOST_SPARSE_SENDERS) if collaboration.delta_codec == "topk" else 1


def _sent_bytes(compression: Compression) -> int:
    """The size of one number on its way; what is added for a whole tensor is next to nothing."""
    match compression:
        case "none":
            return _FLOAT_BYTES
        case "float16" | "scaled_float16":
            return 2
        case "uniform_8bit" | "quantile_8bit" | "size_adaptive":
            return 1
