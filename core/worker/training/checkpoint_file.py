"""A checkpoint as a file: safetensors with the run's id, the epoch and the held-out loss in its metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open

from core.localizable import localized, words_of

PARAMETER = "parameter."
"""What the names of the model's parameters begin with; a number follows, in the order in which the run trains them."""


class DamagedCheckpointError(Exception):
    """The file is not a whole checkpoint of this run's model; the message says why."""


class OtherModelError(Exception):
    """The file is a whole checkpoint of another model: its tensors have other names or shapes."""


@dataclass(frozen=True)
class CheckpointContent:
    """All that is in a checkpoint, whose tensors may have any shape and value."""

    epoch: int
    loss: float | None
    tensors: dict[str, torch.Tensor]

    @property
    def parameters(self) -> list[torch.Tensor]:
        """The trained parameters, float32, in the order in which the run trains them."""
        numbers = sorted(int(name.removeprefix(PARAMETER)) for name in self.tensors if name.startswith(PARAMETER))
        return [self.tensors[f"{PARAMETER}{number}"] for number in numbers]


def read_checkpoint(path: Path, run_id: str, prefixes: Sequence[str] = ("",)) -> CheckpointContent:
    """What is in the file, of the tensors whose names begin so; raises DamagedCheckpointError."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            names = [name for name in file.keys() if name.startswith(tuple(prefixes))]  # noqa: SIM118 - no mapping
            tensors = {name: file.get_tensor(name) for name in names}
        epoch, loss = int(metadata["epoch"]), metadata.get("loss")
        content = CheckpointContent(epoch, None if loss is None else float(loss), tensors)
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise DamagedCheckpointError(words_of(error)) from error
    if metadata.get("run_id") != run_id or epoch < 0:
        raise DamagedCheckpointError(localized("it belongs to another run"))
    return content


def refuse_infinite(tensors: Sequence[torch.Tensor]) -> None:
    """Raise DamagedCheckpointError where a number is not finite."""
    if not all(torch.isfinite(tensor).all() for tensor in tensors if tensor.is_floating_point()):
        raise DamagedCheckpointError(localized("it holds numbers that are not finite"))
