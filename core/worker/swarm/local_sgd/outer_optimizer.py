"""The outer step of DiLoCo: Nesterov momentum on what the swarm has changed, with the same bits on every computer.

Douillard and others, DiLoCo, arXiv:2311.08105, algorithm 1: the *pseudo-gradient* is the base weights minus the weights
after the inner steps. PyTorch's own SGD multiplies and adds in one rounding where the processor can (a fused
multiply-add), and in two where it cannot; here each operation is rounded by itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from core.worker.compute.optimizers import parameters_of
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors, in_parts
from core.worker.swarm.state_parts.messages import ROOT_BYTES, Version

MOMENTUM = "momentum_buffer"
_PIECE = 2**16  # numbers that are stepped at once: 256 KiB of float32
"""What a thread other than the main one has freed last stays its own, as malloc_trim(3) does not give back the end of
its arena; so its temporary tensors must be small."""


class OuterNesterov(Optimizer):
    """Steps the base weights, float32 on the CPU, by their averaged pseudo-gradients; ``lr`` is the outer rate.

    One step is left out after `skip_next`, for a round that has failed: what nobody has averaged must move nobody. So
    is one by zeros, the average of peers of whom nobody has any weight: momentum alone must move nobody either.
    ``outer_steps``, of shape (1,), counts the others; a newcomer downloads it with the weights. Averages are decoded
    part by part from `averages`, if that is set.
    """

    averages: EncodedTensors | None = None

    def __init__(self, params: Any, lr: float, momentum: float, outer_steps: Tensor) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum})
        self.lr, self.momentum, self._outer_steps = lr, momentum, outer_steps
        self._skips_next = False
        self._version: Version | None = None
        for weights in parameters_of(self):
            self.state[weights][MOMENTUM] = torch.zeros_like(weights, dtype=torch.bfloat16)

    def skip_next(self) -> None:
        """Leave the next step out."""
        self._skips_next = True

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """v = momentum * v + g, then weights = weights - lr * (g + momentum * v), for each parameter's average g.

        Raises ValueError where an average is no encoding; then some of the weights may have changed.
        """
        is_left_out, self._skips_next = self._skips_next, False
        everything = parameters_of(self)
        if is_left_out or not any(
            bool(part.any()) for index in range(len(everything)) for part in self._average(index)
        ):
            return
        self._outer_steps.add_(1)
        for index, weights in enumerate(everything):
            vectors = in_parts(weights), in_parts(self.state[weights][MOMENTUM]), self._average(index)
            for vector in zip(*vectors, strict=True):
                for part, kept, average in zip(*(torch.split(each, _PIECE) for each in vector), strict=True):
                    kept.copy_(nearest_bfloat16(kept.float().mul_(self.momentum).add_(average)))
                    part.sub_(self._update(kept, average))
        self._version = self._computed_version()

    def _average(self, index: int) -> Iterator[Tensor]:
        """The average of the parameter of that index, in parts; its ``grad`` where nobody has averages for us."""
        if self.averages is not None:
            return map(self.averages.decoded_part, self.averages.part_numbers(index))
        gradient: Tensor | None = parameters_of(self)[index].grad
        assert gradient is not None
        return iter(in_parts(gradient))

    def _update(self, velocity: Tensor, average: Tensor) -> Tensor:
        return velocity.float().mul_(self.momentum).add_(average).mul_(self.lr)

    @torch.no_grad()
    def last_updates(self, index: int) -> Iterator[Tensor]:
        """What the last step has taken from the parameter of that index, in vectors as long as an average's parts.

        The averages must still be those of that step.
        """
        assert self.averages is not None
        velocity = in_parts(self.state[parameters_of(self)[index]][MOMENTUM])
        for number, part in zip(self.averages.part_numbers(index), velocity, strict=True):
            yield self._update(part, self.averages.decoded_part(number))

    @torch.no_grad()
    def load_state_dict(self, state_dict: Any) -> None:
        """Take the momentum of that state, in place; the rates are the run's. PyTorch's makes float32 of it."""
        for number, weights in enumerate(parameters_of(self)):
            self.state[weights][MOMENTUM].copy_(state_dict["state"][number][MOMENTUM])

    def version(self) -> Version:
        """The number of steps so far, and a hash of the base weights and of the momentum, as of the last step.

        Two peers of one version have equal weights, and will have them again after the next round.
        """
        if self._version is None:
            self._version = self._computed_version()
        return self._version

    def forget_version(self) -> None:
        """The base weights were replaced, not stepped: their version must be computed anew."""
        self._version = None

    def velocities(self) -> list[Tensor]:
        """The outer momentum, in the order of the base weights."""
        return [self.state[each][MOMENTUM] for each in parameters_of(self)]

    def _computed_version(self) -> Version:
        return version_of(parameters_of(self), self._outer_steps, self.velocities())


def nearest_bfloat16(numbers: Tensor) -> Tensor:
    """Finite float32 rounded to the nearest bfloat16, to the even one of two; integers are the same on all processors.

    Some processors take numbers below 1e-38 for zeros when they round.
    """
    bits = numbers.contiguous().view(torch.int32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).to(torch.int16).view(torch.bfloat16)


def bytes_of(tensor: Tensor) -> memoryview:
    """The numbers of a tensor on the CPU as they lie in memory, without a copy where they are contiguous."""
    whole: Any = tensor.detach().contiguous().view(-1).view(torch.uint8).numpy()
    return memoryview(whole)


def version_of(weights: Iterable[Tensor], outer_steps: Tensor, velocities: Iterable[Tensor]) -> Version:
    """That of these base weights with their momentum; it takes a second for 100 million parameters."""
    whole = hashlib.blake2b(digest_size=ROOT_BYTES)
    for pair in zip(weights, velocities, strict=True):
        for tensor in pair:
            whole.update(bytes_of(tensor))
    return int(outer_steps), whole.digest()
