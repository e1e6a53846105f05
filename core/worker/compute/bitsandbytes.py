"""What only bitsandbytes can, on NVIDIA GPUs."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import torch

from core.errors import ErrorKind, UserError
from core.run.spec.recipe import Quantization


def require_bitsandbytes(what: str, device: torch.device) -> None:
    """Raises ClientError where ``what`` cannot be had."""
    if device.type != "cuda":
        raise UserError(ErrorKind.DEVICE_UNSUITED, f"{what} needs an NVIDIA GPU.")
    if find_spec("bitsandbytes") is None:
        raise UserError(
            ErrorKind.ENGINE_MISSING, "This run needs bitsandbytes: `pip install 'workerbee[quantization]'`."
        )


def quantized(wanted: Quantization, dtype: torch.dtype, device: torch.device) -> dict[str, Any]:
    """How `transformers` is asked for it; raises ClientError where it cannot be had."""
    require_bitsandbytes(f"A model in few bits ({wanted.kind})", device)
    from transformers import BitsAndBytesConfig

    if wanted.kind == "8bit":
        how = BitsAndBytesConfig(load_in_8bit=True)
    else:
        how = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype)
    return {"quantization_config": how, "device_map": {"": device}}
