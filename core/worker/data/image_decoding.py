"""Decoding of untrusted images to squares of pixels; refuses broken files and decompression bombs."""

from __future__ import annotations

import io

import torch
import torch.nn.functional as F
from torch import Tensor

from core.localizable import localized

MAX_PIXELS = 25_000_000
MAX_BYTES = 30_000_000
_FORMATS = ("JPEG", "PNG")  # their size is known before anything is unpacked; Pillow's other readers are less hardened


class BrokenImageError(Exception):
    """An image that cannot be used; the message says why."""


def decode_image(encoded: bytes, size: int) -> Tensor:
    """The image as uint8 (3, size, size), stretched where it is not square; raises BrokenImageError."""
    if not encoded:
        raise BrokenImageError(localized("it is not in the data itself"))
    if len(encoded) > MAX_BYTES:
        raise BrokenImageError(localized("it has %1 bytes, and at most %2 are allowed", len(encoded), MAX_BYTES))
    try:
        pixels = _pixels(encoded)
    except BrokenImageError:
        raise
    except Exception as error:  # all that the library raises
        raise BrokenImageError(localized("it cannot be read: %1", str(error)[:200])) from error
    return F.interpolate(pixels[None], (size, size), mode="bilinear", antialias=True)[0]


def _pixels(encoded: bytes) -> Tensor:
    """The pixels in RGB, uint8 (3, height, width)."""
    from PIL import Image

    with Image.open(io.BytesIO(encoded), formats=_FORMATS) as image:
        width, height = image.size
        if width * height > MAX_PIXELS:
            raise BrokenImageError(
                localized("it has %1 × %2 pixels, and at most %3 are allowed", width, height, MAX_PIXELS)
            )
        data = bytearray(image.convert("RGB").tobytes())
    return torch.frombuffer(data, dtype=torch.uint8).view(height, width, 3).permute(2, 0, 1)
