"""Builds the optimizer of the run's mode once for each manifest in FOLDER, and says as JSON what has arrived in it."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import torch
from hivemind.compression import RoleAdaptiveCompression
from hivemind.compression.base import CompressionInfo, TensorRole
from hivemind.utils import TensorDescriptor

from core.run.manifest import RunManifest, decode_manifest
from core.run.spec.collaboration import DeltaCodec
from core.security.identity import Identity
from core.worker.compute.learning_rate import make_scheduler
from core.worker.compute.optimizers import make_optimizer
from core.worker.swarm import Listeners, Swarm, SwarmOptimizer, enter_swarm
from core.worker.swarm.aggregation.aggregators import AggregationRule
from core.worker.swarm.averaging.hivemind_options import TRACKER_OPTIONS
from core.worker.swarm.local_sgd.codecs.codec import Codec
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.optimizer import LocalSgdOptimizer

MEASURED = 20e6  # bits per second
RATE_EPOCHS = (0, 1, 2, 5, 9)  # of which the learning rate is said
PARAMETER = CompressionInfo(key=0, descriptor=TensorDescriptor(size=(1,)), role=TensorRole.PARAMETER)


def main(folder: Path) -> None:
    """One line for each."""
    identity_path = folder / "identity.key"
    swarm = enter_swarm(
        (),
        folder / "progress.key",
        identity=Identity.load_or_create(identity_path),
        identity_path=identity_path,
        mode="direct",
        listen=("/ip4/127.0.0.1/tcp/0",),
    )
    for file in sorted(folder.glob("*.json")):
        optimizer = build(swarm, decode_manifest(file.read_bytes()))
        seen = seen_in(optimizer)
        for averager in optimizer.averagers:
            averager.know_upload(MEASURED)
        measured = _seen_in_averagers(optimizer.averagers)["bandwidth"]
        later = {"bandwidth_once_measured": measured, "learning_rates": learning_rates(optimizer)}
        print(json.dumps(seen | later), flush=True)
        optimizer.say_goodbye()
    swarm.leave()
    sys.stdout.flush()
    os._exit(0)  # as a worker that has said goodbye


def build(swarm: Swarm, manifest: RunManifest) -> SwarmOptimizer:
    """As a worker does, for a model of one matrix."""
    kind = LocalSgdOptimizer if manifest.collaboration.mode == "local-sgd" else SwarmOptimizer
    return kind(
        swarm,
        manifest.run.id,
        manifest.collaboration,
        params=[torch.nn.Parameter(torch.zeros(2, 2))],
        optimizer=make_optimizer(manifest.optimizer),
        scheduler=make_scheduler(manifest.scheduler),
        leaving=threading.Event(),
        listeners=Listeners(lambda _: None, lambda *_: None, lambda *_: None, lambda is_agreed, epoch: ""),
    )


def seen_in(optimizer: SwarmOptimizer) -> dict[str, Any]:
    """What hivemind's own parts have been given, by the run file's names for it."""
    state, gradients = optimizer.state_averager, optimizer.grad_averager
    return {
        "batch_size_per_step": optimizer.batch_size_per_step,
        "load_state_timeout": optimizer.load_state_timeout,
        "delay_grad_averaging": optimizer.delay_grad_averaging,
        "delay_optimizer_step": optimizer.delay_optimizer_step,
        "delay_state_averaging": optimizer.delay_state_averaging,
        "average_state_every": optimizer.average_state_every,
        "use_local_updates": gradients is None,
        "offload_optimizer": state.offload_optimizer,
        "next_chunk_timeout": state.next_chunk_timeout,
        "average_opt_statistics": state.opt_keys_for_averaging,
        "state_averaging_compression": _name(state.allreduce_kwargs["compression"]),
        "load_state_compression": _name(state.state_compression),
        "grad_compression": gradients and _name(gradients.allreduce_kwargs["compression"]),
        "powersgd_rank": getattr(gradients, "_rank", None),
        "reuse_grad_buffers": gradients and gradients.reuse_grad_buffers,
        **_seen_in_averagers(optimizer.averagers),
        **_seen_in_tracker(optimizer.tracker),
        **(_seen_in_local_sgd(optimizer) if isinstance(optimizer, LocalSgdOptimizer) else {}),
    }


def learning_rates(optimizer: SwarmOptimizer) -> list[float]:
    """The rates with which the model is stepped in each of `RATE_EPOCHS`."""
    is_local = isinstance(optimizer, LocalSgdOptimizer)
    stepped = optimizer._inner._optimizer if is_local else optimizer.state_averager.optimizer
    rates = list[float]()
    for epoch in RATE_EPOCHS:
        optimizer.resume_at(epoch)
        rates += {group["lr"] for group in stepped.param_groups}
    return rates


def _seen_in_local_sgd(optimizer: LocalSgdOptimizer) -> dict[str, Any]:
    """What the parts of local SGD have been given."""
    outer, gradients, state = optimizer.outer, optimizer.grad_averager, optimizer.state_averager
    rule, catching_up = gradients._rule, state._outer(state.main_parameters, outer_steps=torch.zeros(1))
    codec_name = _agreed(_codec_name(rule.codec), _codec_name(state._codec))
    is_delayed = _agreed(optimizer.delay_grad_averaging, optimizer.delay_optimizer_step, gradients._keeps_sent)
    return {
        "max_round_seconds": optimizer.tracker.clock.max_seconds,
        "inner_steps_min": gradients._min_steps,
        "inner_steps_max": optimizer.most_steps,
        "outer_lr": _agreed(outer.lr, catching_up.lr),
        "outer_momentum": _agreed(outer.momentum, catching_up.momentum),
        "delta_codec": _agreed(codec_name, "topk") if gradients.feedback else codec_name,
        "overlap": "delayed" if is_delayed is True else "none",
        "max_stale_rounds": optimizer._progress._max_rounds,
        "aggregation": _agreed(rule.aggregation, *(_rule_of(each).aggregation for each in optimizer.averagers)),
        "weight_cap": _agreed(rule.weight_cap, *(_rule_of(each).weight_cap for each in optimizer.averagers)),
    }


def _agreed(*seen: Any) -> Any:
    """The value that several parts have; all of them, where they differ."""
    return seen[0] if all(each == seen[0] for each in seen) else seen


def _codec_name(given: Codec) -> str:
    """The run file's name of it."""
    named: dict[str, Codec] = {name: codec(name) for name in get_args(DeltaCodec)}
    return next(name for name, each in named.items() if (type(each), vars(each)) == (type(given), vars(given)))


def _rule_of(averager: Any) -> AggregationRule:
    rule: AggregationRule = averager._aggregator._rule
    return rule


def _seen_in_averagers(averagers: Sequence[Any]) -> dict[str, Any]:
    """In all of them the same."""
    told = [
        {
            "matchmaking_time": averager.matchmaking_kwargs["min_matchmaking_time"],
            "averaging_timeout": averager.rounds.search_seconds,
            "allreduce_timeout": averager._allreduce_timeout,
            "bandwidth": averager.bandwidth,
            "aggregation": _rule_of(averager).aggregation,
            "weight_cap": _rule_of(averager).weight_cap,
        }
        for averager in averagers
    ]
    return {name: _agreed(*(each[name] for each in told)) for name in told[0]}


def _seen_in_tracker(tracker: Any) -> dict[str, Any]:
    names = ("target_batch_size", *TRACKER_OPTIONS)
    seen = {name: getattr(tracker, name) for name in names}
    return seen | {"performance_ema_alpha": tracker.performance_ema.alpha}


def _name(compression: Any) -> str:
    """The class; of what depends on a tensor's role, that for parameters."""
    is_adaptive = isinstance(compression, RoleAdaptiveCompression)
    return type(compression.choose_compression(PARAMETER) if is_adaptive else compression).__name__


if __name__ == "__main__":
    main(Path(sys.argv[1]))
