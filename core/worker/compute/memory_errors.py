"""One name for every way in which a device says that it has no more memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch

_OF_A_CPU = "can't allocate memory"


@contextlib.contextmanager
def named_out_of_memory() -> Iterator[None]:
    """Raises torch.OutOfMemoryError for all of them: of a CPU, torch says it in words only."""
    try:
        yield
    except MemoryError as error:
        raise torch.OutOfMemoryError(str(error)) from error
    except RuntimeError as error:
        if isinstance(error, torch.OutOfMemoryError) or _OF_A_CPU not in str(error):
            raise
        raise torch.OutOfMemoryError(str(error)) from error
