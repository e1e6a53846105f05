"""What only bitsandbytes can, on NVIDIA GPUs: an optimizer's statistics in 8 bits, and frozen weights in few bits."""

from __future__ import annotations

from importlib.util import find_spec

import torch

from core.errors import ErrorKind, UserError
from core.run.manifest import RunManifest
from core.run.spec.optimizer import AdamW8bit
from core.run.spec.recipe import CausalLM, MaskedLM


def refuse_without_bitsandbytes(manifest: RunManifest, device: torch.device) -> None:
    """Refuse a run that needs bitsandbytes where that device or this engine cannot have it, before anything is fetched.

    Raises UserError: DEVICE_UNSUITED, for no new engine would help.
    """
    if isinstance(manifest.optimizer, AdamW8bit):
        require_bitsandbytes("An optimizer in 8 bits", device)
    if isinstance(manifest.recipe, CausalLM | MaskedLM) and manifest.recipe.quantization is not None:
        require_bitsandbytes(f"A model in few bits ({manifest.recipe.quantization.kind})", device)


def require_bitsandbytes(what: str, device: torch.device) -> None:
    """Raises UserError, DEVICE_UNSUITED, where ``what`` cannot be had."""
    if device.type != "cuda":
        raise UserError(ErrorKind.DEVICE_UNSUITED, f"{what} needs an NVIDIA GPU.")
    if find_spec("bitsandbytes") is None:
        words = "bitsandbytes, which the engine for NVIDIA GPUs has; elsewhere: `pip install 'workerbee[quantization]'`"
        raise UserError(ErrorKind.DEVICE_UNSUITED, f"{what} needs {words}.")
