"""What a process gives back of its memory, or of that of the process from which it was forked."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

from torch import Tensor

_M_MMAP_THRESHOLD = -3  # malloc.h
_LARGE_BYTES = 2**18


def release_memory(tensors: Iterable[Tensor]) -> None:
    """Free these tensors, and their gradients, in this process; on a GPU, or in shared memory, nothing can be freed.

    After a fork both processes share all pages until one of them writes: then the other keeps the old ones.
    """
    for tensor in tensors:
        if tensor.device.type != "cpu":
            continue  # a forked process must leave CUDA alone
        tensor.grad = None
        if not tensor.is_shared():  # type: ignore[no-untyped-call]
            tensor.data = tensor.new_empty(0)
    return_free_memory()


def return_free_memory() -> None:
    """Give free pages in the middle of glibc's heaps back to the system (malloc_trim(3)); elsewhere do nothing."""
    _call_libc("malloc_trim", 0)


def return_large_buffers_at_once() -> None:
    """From now on give every large buffer back to the system when it is freed (mallopt(3)); elsewhere do nothing.

    glibc keeps them, up to 32 MB each in every thread's heap. A process that computes would pay for new pages.
    """
    _call_libc("mallopt", _M_MMAP_THRESHOLD, _LARGE_BYTES)


def _call_libc(function: str, *arguments: int) -> None:
    try:
        call = getattr(ctypes.CDLL(None), function)
    except (OSError, TypeError, AttributeError):
        return
    call(*arguments)
