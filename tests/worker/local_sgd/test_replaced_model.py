"""A model that cannot be right is replaced, also where the others have the very base weights that we have."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from core.worker.swarm.averaging.optimizer import SwarmOptimizer
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors
from core.worker.swarm.local_sgd.codecs.error_feedback import ErrorFeedback
from core.worker.swarm.local_sgd.inner_optimizer import InnerOptimizer
from core.worker.swarm.local_sgd.optimizer import LocalSgdOptimizer
from core.worker.swarm.local_sgd.own_progress import OwnProgress, Rebase
from core.worker.swarm.local_sgd.repair import Repair
from core.worker.swarm.local_sgd.state_file import MirrorUse
from tests.worker.local_sgd.members import CODEC, Donor, WithoutProcess

ABSURD = 1e20


class Apart(LocalSgdOptimizer):
    """An optimizer without a swarm, whose model has taken a step from the base weights of that member."""

    _parent_pid = 0  # so that nothing is shut down in the end

    def __init__(self, donor: Donor) -> None:
        self.state_averager = averager = WithoutProcess(donor.state(), donor._round_log)
        self.models = [torch.nn.Parameter(each.detach().clone()) for each in averager.main_parameters]
        averager.main_parameters = tuple(self.models)
        self._inner = InnerOptimizer(self.models, partial(torch.optim.SGD, lr=0.1, momentum=0.9), None)
        self._progress, self._repair, self._mirror = OwnProgress(CODEC, max_rounds=2), Repair(), None
        self._round_log, self._version, self._rebase = donor._round_log, self.outer.version(), None
        self._download: Any = SimpleNamespace(ready_epoch=None)
        self.grad_averager: Any = SimpleNamespace(sent=None, feedback=ErrorFeedback())
        self.learn()

    def learn(self) -> None:
        """Take a step of our own, by ones."""
        for each in self.models:
            each.grad = torch.ones_like(each)
        self._inner.step()

    def spoil(self, number: float) -> None:
        """All weights of the model are that number, as is the momentum with which it is stepped."""
        for each in (*self.models, *(state["momentum_buffer"] for state in self._inner._optimizer.state.values())):
            each.detach().fill_(number)
        self.grad_averager.feedback.select(torch.full((600,), ABSURD))
        self.grad_averager.feedback.commit()
        self.grad_averager.sent = EncodedTensors.of([torch.ones_like(each) for each in self.models], CODEC)


@pytest.fixture
def donor(tmp_path: Path) -> Donor:
    donor = Donor(tmp_path / "rounds")
    donor.take_rounds(2)
    return donor


def loads(monkeypatch: pytest.MonkeyPatch, load: Callable[[Apart], None]) -> None:
    """What the state that others send does to our base weights."""
    monkeypatch.setattr(SwarmOptimizer, "load_state_from_peers", load)


def same_weights(optimizer: Apart) -> None:
    """A donor with our version sends no round: our own state is loaded once more, after the end of an exchange."""
    optimizer._rebase = Rebase(optimizer.models, EncodedTensors.of(optimizer.base_weights(), CODEC), optimizer.outer)
    optimizer.state_averager.mirror_use = MirrorUse.NOT_NEEDED
    optimizer._continue_from_base(True)


def nobody(_optimizer: Apart) -> None:
    """Nobody offers a state, as where the organiser is alone."""


def is_base(optimizer: Apart, base: list[Tensor]) -> bool:
    """Whether both the base weights and the model's are those."""
    return all(map(torch.equal, optimizer.base_weights(), base)) and all(map(torch.equal, optimizer.models, base))


@pytest.mark.parametrize("load", [same_weights, nobody])
@pytest.mark.parametrize("number", [math.nan, math.inf, ABSURD])
def test_a_broken_model_goes_on_from_the_base_weights_that_it_shares_with_the_others(
    donor: Donor, monkeypatch: pytest.MonkeyPatch, load: Callable[[Apart], None], number: float
) -> None:
    optimizer = Apart(donor)
    optimizer.spoil(number)
    loads(monkeypatch, load)
    optimizer.replace_model()
    base = donor.state()[: len(optimizer.models)]
    assert is_base(optimizer, base)
    assert optimizer._inner.steps == 0 and not optimizer._inner._optimizer.state
    assert optimizer.grad_averager.sent is optimizer._rebase is None
    delta = torch.ones(600)
    optimizer.grad_averager.feedback.select(delta)
    assert delta.max() == 1.0, "nothing of what was left out before is sent"
    optimizer.learn()
    assert all(each.isfinite().all() for each in optimizer.models)


def test_nothing_of_a_broken_model_is_taken_along_to_base_weights_that_have_moved(
    donor: Donor, monkeypatch: pytest.MonkeyPatch
) -> None:
    optimizer = Apart(donor)
    optimizer.spoil(ABSURD)
    donor.take_rounds(1)
    base = donor.state()[: len(optimizer.models)]

    def a_round_later(loading: Apart) -> None:
        torch._foreach_copy_(loading.state_averager.state(), donor.state())
        same_weights(loading)

    loads(monkeypatch, a_round_later)
    optimizer.replace_model()
    assert is_base(optimizer, base)
    assert optimizer._version == donor.outer.version()


def test_who_only_catches_up_keeps_what_it_has_changed(donor: Donor, monkeypatch: pytest.MonkeyPatch) -> None:
    optimizer = Apart(donor)
    changed = [each.detach().clone() for each in optimizer.models]
    loads(monkeypatch, same_weights)
    optimizer.load_state_from_peers()
    assert all(map(torch.equal, optimizer.models, changed)) and optimizer._inner.steps == 1
