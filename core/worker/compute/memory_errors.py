"""One exception for every way in which a device reports that it is out of memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch

_OF_A_CPU = "can't allocate memory"


@contextlib.contextmanager
def named_out_of_memory() -> Iterator[None]:
    """A context that raises torch.OutOfMemoryError for all of them; of a CPU, torch reports it by message only."""
    try:
        yield
    except MemoryError as error:
        raise torch.OutOfMemoryError(str(error)) from error
    except RuntimeError as error:
        if isinstance(error, torch.OutOfMemoryError) or _OF_A_CPU not in str(error):
            raise
        raise torch.OutOfMemoryError(str(error)) from error
