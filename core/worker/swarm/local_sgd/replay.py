"""The outer steps of rounds that others have averaged, taken once more on a copy of an earlier state."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from core.schema import StrictStruct, decode_message
from core.worker.compute.optimizers import parameters_of
from core.worker.swarm.local_sgd.codecs.codec import Codec
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors
from core.worker.swarm.local_sgd.outer_optimizer import MOMENTUM, OuterNesterov, version_of
from core.worker.swarm.local_sgd.round_log import LoggedRound
from core.worker.swarm.state_parts.messages import ROOT_BYTES, Version

MAX_REQUEST_BYTES = 1000
OuterFactory = Callable[..., OuterNesterov]
"""Builds the run's outer optimizer of some ``params`` and a tensor ``outer_steps``."""

log = logging.getLogger(__name__)


class Round(StrictStruct, frozen=True, array_like=True):
    """One round that follows: how many numbers each part has, and the root of the base weights after it."""

    lengths: list[int]
    root: bytes


class WhatWeHave(StrictStruct, frozen=True, array_like=True):
    """The request: the version of the base weights that one has.

    Without a ``root`` the rounds are wanted that lead on from the donor's weights of so many steps: ours differ.
    """

    steps: int
    root: bytes


class WhatFollows(StrictStruct, frozen=True, array_like=True):
    """The answer's first message: the donor's epoch and version, and the rounds that lead there, if it has them."""

    epoch: int
    steps: int
    root: bytes
    rounds: list[Round]


SERVES_OTHERS = WhatFollows(-1, 0, b"", [])
"""The answer of a donor that sends rounds to others: peers that do not know it read that its state is too old."""


class Replay:
    """Outer steps on a copy of a state; its ``tensors`` are base weights, the number of outer steps, and momentum."""

    def __init__(self, tensors: list[Tensor], codec: Codec, outer: OuterFactory) -> None:
        count = len(tensors) // 2
        copies = [tensor.detach().clone() for tensor in tensors]
        self._weights = [torch.nn.Parameter(tensor) for tensor in copies[:count]]
        self._steps, self._velocities, self._codec = copies[count], copies[count + 1 :], codec
        self._outer = outer(self._weights, outer_steps=self._steps)
        for weights, velocity in zip(parameters_of(self._outer), self._velocities, strict=True):
            self._outer.state[weights][MOMENTUM] = velocity
        self._averages = EncodedTensors([weights.shape for weights in self._weights], codec)
        self._outer.averages = self._averages
        self._round = Round([], b"")
        self.version = version_of_state(copies)

    def begin(self, told: Round) -> None:
        """Wait for the parts of that round; raises ValueError where they are not those of this model."""
        if told.lengths != self._averages.lengths():
            raise ValueError("the parts of a round are not those of the model")
        self._round = told

    def add(self, number: int, encoded: Tensor) -> None:
        """Take the part of that number; raises ValueError where it is no encoding of so many numbers."""
        self._codec.decode(encoded, self._round.lengths[number])
        self._averages.put(number, encoded)

    def step(self) -> None:
        """Take the outer step of the round; raises ValueError where its hash is another one than was told."""
        self._outer.step()
        self.version = self._outer.version()
        if self.version[1] != self._round.root:
            raise ValueError("a round does not lead to the weights that it is said to lead to")

    def step_from_wrong_weights(self) -> None:
        """Take the outer step of the round: weights that were right become right, and the others stay wrong."""
        self._outer.step()

    def take(self, logged: LoggedRound) -> None:
        """Take a round of a log. Raises OSError and ValueError; the state has changed then only if its version has."""
        self.begin(Round(logged.lengths(), logged.after[1]))
        for number, part in enumerate(logged.parts()):
            self.add(number, part)
        self.step()

    def tensors(self) -> list[Tensor]:
        """The state after the steps taken."""
        return [*(weights.detach() for weights in self._weights), self._steps, *self._velocities]


def replayed_log(begun: Callable[[], Replay], rounds: Sequence[LoggedRound]) -> Replay:
    """The state that is ``begun`` with, after the rounds of a log up to the first that cannot be read or is wrong."""
    replay = begun()
    for number, each in enumerate(rounds):
        try:
            replay.take(each)
        except (OSError, ValueError) as error:
            log.warning("the log can be used for %d of %d rounds: %s", number, len(rounds), error)
            return replay if replay.version == each.before else replayed_log(begun, rounds[:number])
    return replay


def steps_of_state(tensors: Sequence[Tensor]) -> int:
    """How many outer steps the base weights of a state have behind them."""
    return int(tensors[len(tensors) // 2])


def version_of_state(tensors: list[Tensor]) -> Version:
    """That of base weights, the number of outer steps, and momentum, one after the other."""
    count = len(tensors) // 2
    return version_of(tensors[:count], tensors[count], tensors[count + 1 :])


def requested_version(metadata: bytes) -> Version | None:
    """The version that a stranger asks for; ``None`` for nonsense."""
    try:
        asked = decode_message(metadata, WhatWeHave, MAX_REQUEST_BYTES)
    except ValueError:
        return None
    return (asked.steps, asked.root) if len(asked.root) in (0, ROOT_BYTES) else None
