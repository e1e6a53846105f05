"""Export of the built-in recipe: safetensors, the model's numbers, and a short program that rebuilds it."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import torch
from safetensors.torch import save_file

from core.files.resources import RESOURCES
from core.run.spec.data import SumsData
from core.run.spec.recipe import ArithmeticGPT
from core.worker.export.parameters import put_parameters
from core.worker.recipes.arithmetic_gpt import Transformer
from core.worker.training.checkpoint_file import CheckpointContent

PROGRAM = RESOURCES / "export" / "arithmetic_model.py"
"""What rebuilds the model, with nothing but torch and safetensors; a copy is in every export."""


class ArithmeticExport:
    """The transformer that adds, into which a checkpoint is put and which is then written."""

    def __init__(self, numbers: ArithmeticGPT, data: SumsData) -> None:
        self._numbers, self._digits = numbers, data.digits
        self.model = Transformer(numbers, data.digits)

    def use(self, content: CheckpointContent) -> None:
        """Put the trained parameters in place; raises DamagedCheckpointError where they are not this model's."""
        put_parameters(self.model, content)

    def write(self, folder: Path, dtype: torch.dtype, *, merge: bool) -> None:
        """Write ``model.safetensors``, ``config.json`` and ``model.py`` into that folder; there is nothing to merge."""
        weights = {name: value.detach().to(dtype).contiguous() for name, value in self.model.named_parameters()}
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
        numbers = self._numbers
        shape = {"layers": numbers.layers, "width": numbers.width, "heads": numbers.heads, "digits": self._digits}
        (folder / "config.json").write_bytes(msgspec.json.format(msgspec.json.encode(shape)))
        shutil.copyfile(PROGRAM, folder / "model.py")
