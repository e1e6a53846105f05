"""What nobody trains on, kept on the disk: so a start after a pause need not look for it again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from core.folders import write_atomically
from core.worker.store import in_words

_LARGEST_BYTES = 1 << 28


@dataclass(frozen=True)
class HeldOut:
    """Blocks, int64 (n, sequence length); ``first_digest`` is that of the data's first document."""

    blocks: Tensor
    first_digest: int


def write_held_out(path: Path, held_out: HeldOut) -> None:
    """Raises ClientError where the disk refuses."""
    digest = torch.tensor([held_out.first_digest >> 32, held_out.first_digest & 0xFFFFFFFF])
    with in_words(path):
        write_atomically(path, save({"blocks": held_out.blocks, "first": digest}))


def read_held_out(path: Path, sequence_length: int) -> HeldOut | None:
    """``None`` where there is none that can be used."""
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            return None
        kept = load(path.read_bytes())
        high, low = kept["first"].tolist()
        blocks = kept["blocks"]
    except (OSError, SafetensorError, KeyError, ValueError):
        return None
    is_right = blocks.dtype == torch.int64 and blocks.dim() == 2 and blocks.shape[1] == sequence_length
    return HeldOut(blocks, high << 32 | low) if is_right else None
