"""A peer that is alone takes its outer steps with its own changes, and others can be led to where it is."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from torch import Tensor

from core.worker.swarm.local_sgd.averagers import DeltaAverager
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors
from core.worker.swarm.local_sgd.reduction import ReductionRule
from core.worker.swarm.local_sgd.replay import Replay
from core.worker.swarm.local_sgd.round_log import RoundLog
from tests.worker.local_sgd.members import CODEC, OUTER, SHAPES, Donor


class Alone(DeltaAverager):
    """The worker's half of an averager whose other half nobody has forked."""

    _parent_pid = 0

    def __init__(self, log: RoundLog, donor: Donor, weights: list[Tensor]) -> None:
        self.parameters = weights
        self.changes, self.averages = EncodedTensors(SHAPES, CODEC), EncodedTensors(SHAPES, CODEC)
        self._outer, self._rule, self._round_log = donor.outer, ReductionRule(CODEC, "clip", 4.0), log
        self.feedback, self._keeps_sent, self.is_alone = None, False, True
        self._generation = torch.zeros((), dtype=torch.int64)

    @contextmanager
    def get_tensors(self) -> Iterator[list[Tensor]]:
        yield []


@pytest.fixture
def donor(tmp_path: Path) -> Donor:
    """A member without a round behind it."""
    return Donor(tmp_path / "rounds")


def take_step(donor: Donor, spoiled: float) -> None:
    """Change the weights by a little, but for one of them by so much, and end the round alone."""
    log, before = donor._round_log, donor.outer.version()
    weights = [base.detach() + 0.1 * torch.randn(base.shape) for base in donor.weights]
    weights[0][0, 0] += spoiled
    member = Alone(log, donor, weights)
    member.load_accumulators_into_averager_()
    donor.outer.averages = member.averages
    donor.outer.step()
    if donor.outer.version() != before:
        log.advance(before, donor.outer.version())


def test_others_are_led_to_where_one_is_that_was_alone(donor: Donor) -> None:
    state, before = donor.state(), donor.outer.version()
    take_step(donor, spoiled=0.0)
    newcomer = Replay(state, CODEC, OUTER)
    assert newcomer.take_all(donor._round_log.since(before))
    assert newcomer.version == donor.outer.version() != before


@pytest.mark.parametrize("spoiled", [math.nan, math.inf])
def test_who_is_alone_and_has_computed_nonsense_stays_where_it_is(donor: Donor, spoiled: float) -> None:
    before = donor.outer.version()
    take_step(donor, spoiled)
    donor.outer.forget_version()
    assert donor.outer.version() == before
    take_step(donor, spoiled=0.0)
    assert donor.outer.version()[0] == 1
