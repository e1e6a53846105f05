"""The state of local SGD in a file (safetensors): base weights, the number of outer steps, outer momentum.

It is what the run's mirror offers to newcomers, and what donors send in parts. The checkpoint beside it
(``training/checkpoint.py``) is for ourselves, and has no outer steps. It is written tensor by tensor, because
safetensors' own writer has all of it in memory twice.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from core.files.atomic import opened_atomically
from core.localizable import localized
from core.worker.swarm.averaging.allreduce import are_finite
from core.worker.swarm.local_sgd.outer_optimizer import bytes_of, version_of
from core.worker.swarm.state_parts.messages import Version

_KINDS = {torch.float32: "F32", torch.bfloat16: "BF16"}  # as safetensors names them
_READABLE = 0o644  # for the web server, which may be another user


class MirrorUse(Enum):
    """What came of the mirror's state in a download."""

    UNTRIED = "untried"  # nobody has sent anything that shows whether it can be used
    NOT_NEEDED = "not needed"  # rounds lead to the present from our own weights
    USED = "used"
    REFUTED = "refuted"  # no round leads on from it: a donor has sent a state of its own


class Mirror(Protocol):
    """Where newcomers find a state of the run, which they use only once a member's round log has led on from it."""

    def fetch(self, expected: Sequence[Tensor], max_bytes: int) -> Path | None:
        """The file of a state of those shapes, and of no more bytes; ``None`` if there is none that can be used."""

    def release(self, use: MirrorUse) -> None:
        """A download of a state has ended; that came of the file."""


def write_state_file(path: Path, tensors: Sequence[Tensor], about: Mapping[str, str]) -> tuple[int, str]:
    """Write a state on the CPU in one piece; the file's bytes and its SHA-256.

    ``tensors`` are the base weights and the number of outer steps, float32, and the momentum of each of the weights,
    bfloat16; ``about`` is kept with them. Raises OSError, and what was at ``path`` before stays whole.
    """
    header = _header(tensors, about)
    digest, size = hashlib.sha256(header), len(header)
    with opened_atomically(path, _READABLE) as file:
        file.write(header)
        for tensor in tensors:
            part = bytes_of(tensor)
            file.write(part)
            digest.update(part)
            size += len(part)
    return size, digest.hexdigest()


def state_file_bytes(tensors: Sequence[Tensor]) -> int:
    """How large the file of a state of those shapes is, with nothing told about it."""
    return len(_header(tensors, {})) + sum(map(_size, tensors))


def check_state_file(path: Path, expected: Sequence[Tensor]) -> Version:
    """The version of the weights in that file, read tensor by tensor.

    Raises ValueError, in words, unless it holds finite numbers of the very kinds and shapes of the ``expected`` state;
    OSError.
    """
    with opened_tensors(path) as file:
        _check_header(file, expected)
        weights, steps, velocities = _names(len(expected))
        (outer_steps,) = _finite(file, [steps])
        if float(outer_steps) < 0 or not float(outer_steps).is_integer():
            raise ValueError(localized("its number of outer steps is none"))
        return version_of(_finite(file, weights), outer_steps, _finite(file, velocities))


def read_state_file(path: Path, expected: Sequence[Tensor]) -> list[Tensor]:
    """The state in that file, in the order of ``expected``; raises ValueError where it is of other shapes, OSError."""
    with opened_tensors(path) as file:
        _check_header(file, expected)
        weights, steps, velocities = _names(len(expected))
        return list(_finite(file, [*weights, steps, *velocities]))


def _size(tensor: Tensor) -> int:
    return tensor.element_size() * tensor.numel()


def _names(tensors: int) -> tuple[list[str], str, list[str]]:
    """Of the tensors of a state: of the weights, the number of outer steps, the momentum."""
    numbers = range(tensors // 2)
    return [f"weights.{each}" for each in numbers], "outer_steps", [f"momentum.{each}" for each in numbers]


def _header(tensors: Sequence[Tensor], about: Mapping[str, str]) -> bytes:
    """The first bytes of a file of safetensors: a length, and where in what follows each tensor is."""
    weights, steps, velocities = _names(len(tensors))
    places: dict[str, Any] = {"__metadata__": dict(about)}
    start = 0
    for name, tensor in zip([*weights, steps, *velocities], tensors, strict=True):
        if tensor.dtype not in _KINDS:
            raise ValueError(localized("%1 is %2, and must be float32 or bfloat16", name, tensor.dtype))
        end = start + _size(tensor)
        places[name] = {"dtype": _KINDS[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [start, end]}
        start = end
    encoded = json.dumps(places).encode()
    encoded += b" " * (-len(encoded) % 8)  # so that the numbers are aligned
    return len(encoded).to_bytes(8, "little") + encoded


def _check_header(file: Any, expected: Sequence[Tensor]) -> None:
    weights, steps, velocities = _names(len(expected))
    names = [*weights, steps, *velocities]
    if set(file.keys()) != set(names):
        raise ValueError(localized("its tensors are not those of the run's model"))
    for name, tensor in zip(names, expected, strict=True):
        slice_ = file.get_slice(name)
        if slice_.get_dtype() != _KINDS[tensor.dtype] or slice_.get_shape() != list(tensor.shape):
            raise ValueError(localized("its tensors are not those of the run's model"))


def _finite(file: Any, names: Sequence[str]) -> Iterator[Tensor]:
    """Tensor by tensor."""
    for name in names:
        tensor: Tensor = file.get_tensor(name)
        if not are_finite([tensor]):
            raise ValueError(localized("it holds a value that is not a number"))
        yield tensor


@contextlib.contextmanager
def opened_tensors(path: Path) -> Iterator[Any]:
    """A file of safetensors while it is read; raises OSError, and ValueError, in words, where it is none."""
    try:
        with safe_open(path, "pt") as file:
            yield file
    except SafetensorError as error:
        raise ValueError(localized("it is no file of safetensors: %1", error)) from error
