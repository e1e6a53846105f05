"""The validation set on disk, as safetensors: the next start need not look for it in the data again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from core.files.atomic import write_atomically
from core.worker.fetch.file_store import storage_errors_in_words

_LARGEST_BYTES = 1 << 28
_FIRST = "first"


Shapes = Mapping[str, tuple[torch.dtype, tuple[int, ...]]]
"""The dtype of every tensor, and its shape without the first dimension."""


@dataclass(frozen=True)
class ValidationSplit:
    """The tensors of a validation set, whose first dimension counts samples.

    ``first_digest`` is the hash of the data's first item, which belongs to the set whatever its hash is.
    """

    tensors: Mapping[str, Tensor]
    first_digest: int


def write_validation_split(path: Path, held_out: ValidationSplit) -> None:
    """Write a validation set to ``path``; raises UserError where the disk refuses."""
    halves = torch.tensor([held_out.first_digest >> 32, held_out.first_digest & 0xFFFFFFFF])
    with storage_errors_in_words(path):
        write_atomically(path, save({**held_out.tensors, _FIRST: halves}))


def read_validation_split(path: Path, shapes: Shapes) -> ValidationSplit | None:
    """Read a validation set of those shapes; ``None`` where there is none that can be used."""
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            return None
        kept = load(path.read_bytes())
        high, low = kept[_FIRST].tolist()
        tensors = {name: kept[name] for name in shapes}
    except (OSError, SafetensorError, KeyError, ValueError):
        return None
    are_right = len({len(tensor) for tensor in tensors.values()}) == 1 and all(
        (tensors[name].dtype, tensors[name].shape[1:]) == shape for name, shape in shapes.items()
    )
    return ValidationSplit(tensors, high << 32 | low) if are_right else None
