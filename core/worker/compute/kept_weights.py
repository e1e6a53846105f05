"""A model is tried with other weights for a moment, and has its own again afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor


@contextmanager
def kept_weights(places: Sequence[Tensor]) -> Iterator[None]:
    """The model's tensors at these ``places`` are afterwards what they were before, whatever happens meanwhile."""
    before = [place.detach().clone() for place in places]
    try:
        yield
    finally:
        fill(places, before)


@torch.no_grad()
def fill(places: Iterable[Tensor], weights: Iterable[Tensor]) -> None:
    """Copy weights into the places of a model, in order. Raises ValueError where there are not as many of both."""
    for place, values in zip(places, weights, strict=True):
        place.copy_(values)
