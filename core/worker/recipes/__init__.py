"""The closed set of things a run can train: the manifest names one and fills in its numbers."""

from __future__ import annotations

from typing import assert_never

import torch

from core.manifest import ArithmeticGPT, RunManifest
from core.worker.recipes.arithmetic_gpt import ArithmeticRecipe
from core.worker.recipes.recipe import Batch, Evaluation, Example, Recipe

__all__ = ["Batch", "Evaluation", "Example", "Recipe", "build"]


def build(manifest: RunManifest, *, seed: int, device: torch.device) -> Recipe:
    """The manifest's recipe on that device.

    ``seed`` is the peer's own: it chooses the samples that the peer draws and, through torch's own generator,
    its dropout masks. The initial weights come from the manifest alone.
    """
    torch.manual_seed(seed)
    match manifest.recipe:
        case ArithmeticGPT():
            return ArithmeticRecipe(manifest.recipe, manifest.data, seed=seed, device=device)
        case _:
            assert_never(manifest.recipe)
