"""Frozen weights in 8 or 4 bits, where the device can: bitsandbytes' work."""

from __future__ import annotations

from typing import Any

import torch

from core.run.spec.recipe import Quantization
from core.worker.compute.bitsandbytes import require_bitsandbytes


def quantized(wanted: Quantization, dtype: torch.dtype, device: torch.device) -> dict[str, Any]:
    """How `transformers` is asked for it; raises ClientError where it cannot be had."""
    require_bitsandbytes(f"A model in few bits ({wanted.kind})", device)
    from transformers import BitsAndBytesConfig

    if wanted.kind == "8bit":
        how = BitsAndBytesConfig(load_in_8bit=True)
    else:
        how = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype)
    return {"quantization_config": how, "device_map": {"": device}}
