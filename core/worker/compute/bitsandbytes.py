"""What only bitsandbytes can, on NVIDIA GPUs."""

from __future__ import annotations

from importlib.util import find_spec

import torch

from core.errors import ErrorKind, UserError


def require_bitsandbytes(what: str, device: torch.device) -> None:
    """Raises ClientError where ``what`` cannot be had."""
    if device.type != "cuda":
        raise UserError(ErrorKind.DEVICE_UNSUITED, f"{what} needs an NVIDIA GPU.")
    if find_spec("bitsandbytes") is None:
        raise UserError(
            ErrorKind.ENGINE_MISSING, "This run needs bitsandbytes: `pip install 'workerbee[quantization]'`."
        )
