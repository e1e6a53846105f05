"""A peer that is alone takes its outer steps with its own changes; its log leads others to where it is, and itself."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor

from core.worker.swarm.local_sgd.averagers import DeltaAverager
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors
from core.worker.swarm.local_sgd.reduction import ReductionRule
from core.worker.swarm.local_sgd.replay import Replay
from core.worker.swarm.local_sgd.round_log import MAX_ROUNDS, RoundLog
from tests.worker.local_sgd.members import CODEC, OUTER, SHAPES, Donor, WithoutProcess


class Alone(DeltaAverager):
    """The worker's half of an averager whose other half nobody has forked."""

    _parent_pid = 0

    def __init__(self, log: RoundLog, donor: Donor, weights: list[Tensor]) -> None:
        self.parameters = weights
        self.changes, self.averages = EncodedTensors(SHAPES, CODEC), EncodedTensors(SHAPES, CODEC)
        self._outer, self._rule, self._round_log = donor.outer, ReductionRule(CODEC, "clip", 4.0), log
        self.feedback, self._keeps_sent, self.is_alone = None, False, True
        self._generation = torch.zeros((), dtype=torch.int64)

    @contextlib.contextmanager
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
    for each in donor._round_log.since(before):
        newcomer.take(each)
    assert newcomer.version == donor.outer.version() != before


@pytest.mark.parametrize("spoiled", [math.nan, math.inf])
def test_who_is_alone_and_has_computed_nonsense_stays_where_it_is(donor: Donor, spoiled: float) -> None:
    before = donor.outer.version()
    take_step(donor, spoiled)
    donor.outer.forget_version()
    assert donor.outer.version() == before
    take_step(donor, spoiled=0.0)
    assert donor.outer.version()[0] == 1


def cut_off(path: Path) -> None:
    """Keep half of the file, as a crash may."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def spoil(path: Path) -> None:
    """Change the last number of the average."""
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [cut_off, spoil, lambda path: path.write_bytes(b"")])
@pytest.mark.parametrize("damaged", [1, 3])
def test_a_damaged_file_of_the_log_costs_no_round_before_it(
    donor: Donor, damage: Callable[[Path], None], damaged: int
) -> None:
    begun, log, states = donor.outer.version(), donor._round_log, list[list[Tensor]]()
    for _ in range(MAX_ROUNDS):
        states.append(donor.state())
        take_step(donor, spoiled=0.0)
    damage(log.beyond(begun)[damaged].path)
    back = WithoutProcess(states[0], log)
    assert back.take_logged_rounds() == damaged
    assert all(map(torch.equal, back.state(), states[damaged]))
    assert all(map(torch.equal, back.main_parameters, back.state()))
    log.end_at(back.optimizer.version())
    assert len(log.since(begun)) == damaged
