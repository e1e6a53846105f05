"""Validate a state that a stranger offers: its shapes, its numbers, and how well the model does with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from hivemind.optim.state_averager import TrainingStateAverager, dump_optimizer_state
from torch import Tensor

from core.localizable import Detail, localized
from core.worker.compute.kept_weights import fill, kept_weights
from core.worker.compute.optimizers import parameters_of
from core.worker.swarm.averaging.allreduce import are_finite
from core.worker.swarm.trust.epoch_bounds import AHEAD_OF_SIGNED

METADATA_BYTES = 4 * 2**20
OVERHEAD = 2  # of the largest encoding, with its headers

State: TypeAlias = tuple[dict[str, Any], list[Tensor]]
"""What a donor says of its state, and the tensors: the parameters, then those of the optimizer."""
BUSY: State = ({}, [])
"""What stands for the state of a donor that answers and sends none: it serves others, and may serve us later."""

Trial = Callable[[bool, int], Detail]
"""How the model's present parameters do on a fixed batch: what is wrong with that, or nothing.

It is told whether they are of an epoch that is signed or agreed on, and not of one to which we may have come ourselves;
and of which one they are.
"""


def format_error(state: State, averager: TrainingStateAverager, epoch_error: Callable[[int], Detail]) -> Detail:
    """Why this state cannot be one of the run's, in words, by its epoch, shapes and numbers; nothing where it can.

    The optimizer's plain numbers, such as the learning rate, are the manifest's: ours take the place of the
    donor's in ``state``.
    """
    metadata, tensors = state
    if not isinstance(metadata, dict) or type(metadata.get("epoch")) is not int:
        return localized("it says no epoch")
    if why := epoch_error(metadata["epoch"]):
        return why
    if [_signature(tensor) for tensor in tensors] != _expected(averager):
        return localized("its tensors are not those of the run's model")
    if not are_finite(tensors):
        return localized("it holds a value that is not a number")
    metadata["optimizer_metadata"], _ = dump_optimizer_state(averager.optimizer)
    return ""


@torch.no_grad()
def trial_error(state: State, averager: TrainingStateAverager, trial: Trial) -> Detail:
    """What is wrong with the model's loss when it has this state's parameters; what was there is put back."""
    metadata, tensors = state
    places = averager.main_parameters
    with averager.lock_averaged_tensors, kept_weights(places):
        fill(places, tensors[: len(places)])
        return trial(metadata["epoch"] > averager.local_epoch + AHEAD_OF_SIGNED, metadata["epoch"])


def is_truncated(state: State, averager: TrainingStateAverager) -> bool:
    """Whether the last tensors of this state are missing, and the others are of the run's model."""
    got, expected = [_signature(tensor) for tensor in state[1]], _expected(averager)
    return len(got) < len(expected) and got == expected[: len(got)]


def _expected(averager: TrainingStateAverager) -> list[tuple[torch.Size, torch.dtype | None]]:
    """The signatures of a state's tensors, in order."""
    _, own_tensors = dump_optimizer_state(averager.optimizer)
    return [
        _signature(tensor) for tensor in (*parameters_of(averager.optimizer), *averager.extra_tensors, *own_tensors)
    ]


def _signature(tensor: Tensor) -> tuple[torch.Size, torch.dtype | None]:
    """Shape and type of a tensor; floats may come as other floats, what an optimizer keeps in bytes only as bytes."""
    return tensor.shape, None if tensor.is_floating_point() else tensor.dtype


def max_bytes(averager: TrainingStateAverager) -> int:
    """How many bytes a donor's state can have at most, with its metadata."""
    _, own_tensors = dump_optimizer_state(averager.optimizer)
    tensors = [*parameters_of(averager.optimizer), *averager.extra_tensors, *own_tensors]
    return METADATA_BYTES + int(OVERHEAD * sum(each.numel() * each.element_size() for each in tensors))
