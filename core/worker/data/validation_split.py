"""What nobody trains on, kept on the disk: so a start after a pause need not look for it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from core.files.atomic import write_atomically
from core.worker.fetch.file_store import in_words

_LARGEST_BYTES = 1 << 28
_FIRST = "first"


Shapes = Mapping[str, tuple[torch.dtype, tuple[int, ...]]]
"""Of every tensor its kind and, but for the first dimension, its shape."""


@dataclass(frozen=True)
class HeldOut:
    """The first dimension of all tensors counts samples; ``first_digest`` is that of the first item."""

    tensors: Mapping[str, Tensor]
    first_digest: int


def write_held_out(path: Path, held_out: HeldOut) -> None:
    """Raises ClientError where the disk refuses."""
    digest = torch.tensor([held_out.first_digest >> 32, held_out.first_digest & 0xFFFFFFFF])
    with in_words(path):
        write_atomically(path, save({**held_out.tensors, _FIRST: digest}))


def read_held_out(path: Path, shapes: Shapes) -> HeldOut | None:
    """``None`` where there is none that can be used."""
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
    return HeldOut(tensors, high << 32 | low) if are_right else None
