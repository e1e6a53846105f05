"""Frozen weights in 8 or 4 bits, where the device can: bitsandbytes' work."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import torch

from core.problems import ClientError, Problem
from core.recipe_spec import Quantization


def quantized(wanted: Quantization, dtype: torch.dtype, device: torch.device) -> dict[str, Any]:
    """How `transformers` is asked for it; raises ClientError where it cannot be had."""
    if device.type != "cuda":
        raise ClientError(Problem.DEVICE_UNSUITED, f"Weights in few bits ({wanted.kind}) need an NVIDIA GPU.")
    if find_spec("bitsandbytes") is None:
        raise ClientError(
            Problem.ENGINE_MISSING, "This run needs bitsandbytes: `pip install 'workerbee[quantization]'`."
        )
    from transformers import BitsAndBytesConfig

    if wanted.kind == "8bit":
        how = BitsAndBytesConfig(load_in_8bit=True)
    else:
        how = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype)
    return {"quantization_config": how, "device_map": {"": device}}
