"""Puts a checkpoint's numbered parameters into the model that the run trains."""

from __future__ import annotations

import torch

from core.localizable import localized
from core.worker.training.checkpoint_file import CheckpointContent, DamagedCheckpointError


@torch.no_grad()
def put_parameters(model: torch.nn.Module, content: CheckpointContent) -> None:
    """Put them in the place of those that require a gradient, in the model's order, as training numbers them.

    Raises DamagedCheckpointError, before anything is changed, where their shapes are not those of the model's.
    """
    places = [parameter for parameter in model.parameters() if parameter.requires_grad]
    found = content.parameters
    if [each.shape for each in places] != [each.shape for each in found]:
        raise DamagedCheckpointError(localized("its tensors are not those of this run's model"))
    for place, tensor in zip(places, found, strict=True):
        place.copy_(tensor)
