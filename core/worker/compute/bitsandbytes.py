"""What only bitsandbytes can, on NVIDIA GPUs: optimizer statistics and frozen weights in few bits.

8-bit optimizers are arXiv:2110.02861, LLM.int8 arXiv:2208.07339, NF4 arXiv:2305.14314.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import torch

from core.errors import ErrorKind, UserError
from core.localizable import LocalizedText, localized
from core.run.manifest import RunManifest
from core.run.spec.optimizer import AdamW8bit
from core.run.spec.recipe import CausalLM, MaskedLM, Quantization


def refuse_without_bitsandbytes(manifest: RunManifest, device: torch.device) -> None:
    """Refuse a run that needs bitsandbytes where that device or this engine cannot have it, before anything is fetched.

    Raises UserError: DEVICE_UNSUITED, for no new engine would help.
    """
    if isinstance(manifest.optimizer, AdamW8bit):
        require_bitsandbytes(localized("An optimizer in 8 bits"), device)
    if isinstance(manifest.recipe, CausalLM | MaskedLM) and manifest.recipe.quantization is not None:
        require_bitsandbytes(localized("A model in few bits (%1)", manifest.recipe.quantization.kind), device)


def require_bitsandbytes(what: LocalizedText, device: torch.device) -> None:
    """Raise UserError: DEVICE_UNSUITED, where ``what`` cannot be had on that device or in this engine."""
    if device.type != "cuda":
        raise UserError(ErrorKind.DEVICE_UNSUITED, localized("%1 needs an NVIDIA GPU.", what))
    if find_spec("bitsandbytes") is None:
        elsewhere = "`pip install 'workerbee[quantization]'`"
        words = localized(
            "%1 needs bitsandbytes, which the engine for NVIDIA GPUs has; elsewhere: %2.", what, elsewhere
        )
        raise UserError(ErrorKind.DEVICE_UNSUITED, words)


def quantization_options(wanted: Quantization, dtype: torch.dtype, device: torch.device) -> dict[str, Any]:
    """Arguments of ``from_pretrained`` for frozen weights in 8 or 4 bits, computed in ``dtype``; raises UserError."""
    require_bitsandbytes(localized("A model in few bits (%1)", wanted.kind), device)
    from transformers import BitsAndBytesConfig

    if wanted.kind == "8bit":
        how = BitsAndBytesConfig(load_in_8bit=True)
    else:
        how = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype)
    return {"quantization_config": how, "device_map": {"": device}}
