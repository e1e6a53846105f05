"""What autograd saves of a forward pass, for the backward pass."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from core.worker.recipes import Recipe


def saved_bytes(recipe: Recipe, batch: Any) -> int:
    """How many bytes the saved tensors of a batch's forward pass have; a storage that several share counts once."""
    saved: dict[int, int] = {}

    def save(tensor: Tensor) -> Tensor:
        saved[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(save, lambda tensor: tensor):
        loss = recipe.loss(batch)
    assert loss.requires_grad
    return sum(saved.values())
