"""While nobody answers for a layer's experts no loss is measured: nothing is compared with it, signed or kept by it."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from torch import Tensor

from core.protocol.events import Evaluated
from core.worker.experts.calls import ExpertInput
from core.worker.recipes import MixtureLanguageModel
from core.worker.swarm import EncodedTensors, LocalSgdOptimizer, SwarmOptimizer
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.training.base_evaluation import of_base_weights
from core.worker.training.change_trials import ChangeTrials
from core.worker.training.numeric_checks import MIN_LOSSES, NumericChecks
from core.worker.training.trainer import RateLimiter, Trainer
from tests.worker.recipes.test_mixture_language_model import HostsOfLayer, recipe_of, spec_of
from tests.worker.training.test_change_trials import one_thread
from tests.worker.training.test_trainer import Alone

HELD_OUT = 64  # blocks: more than are evaluated at once
LEARNT = 0.5  # of an untrained model's loss, what ours had when all experts were there


class LeavingHosts(HostsOfLayer):
    """Hosts without a network that all fall silent after so many calls; nobody has heard yet that they are away."""

    calls_left = math.inf
    leaves_after: tuple[float, int] = math.inf, 0
    """Of all calls that are left, after which one expert is known no more, and its number."""

    def forward(self, inputs: Sequence[ExpertInput]) -> list[Tensor | None]:
        """As all hosts answer, or nothing."""
        self.calls_left -= 1
        self.leaves_after = self.leaves_after[0] - 1, self.leaves_after[1]
        if self.leaves_after[0] < 0:
            self.known = self.known - {self.leaves_after[1]}
        return super().forward(inputs) if self.calls_left >= 0 else [None] * len(inputs)


@pytest.fixture
def hosts() -> LeavingHosts:
    """All experts of the only layer that has any."""
    return LeavingHosts(spec_of(every_layers=4))


@pytest.fixture
def recipe(hosts: LeavingHosts) -> Iterator[MixtureLanguageModel]:
    """A model that is connected with them, and little held-out text."""
    with one_thread():
        found = recipe_of(spec_of(every_layers=4))
        found._held_out = found._held_out[:HELD_OUT]
        found.connect(hosts)
        yield found


def test_an_evaluation_knows_whether_experts_of_some_layer_were_away_or_left_meanwhile(
    recipe: MixtureLanguageModel, hosts: LeavingHosts
) -> None:
    whole = recipe.evaluate()
    assert whole.measured_loss == whole.loss
    hosts.silent = {0, 1, 2}
    assert recipe.evaluate().of_all_layers, "others of the layer answer"
    hosts.silent, hosts.calls_left = set(), 1
    assert recipe.evaluate().measured_loss is None
    hosts.calls_left, hosts.known = math.inf, set()
    assert recipe.evaluate().measured_loss is None
    hosts.known = {3}
    assert recipe.evaluate().of_all_layers


def test_a_state_is_judged_by_its_loss_only_while_experts_are_there(
    recipe: MixtureLanguageModel, hosts: LeavingHosts
) -> None:
    checks, known = NumericChecks.of_untrained(recipe), hosts.known
    for _ in range(MIN_LOSSES):
        checks.observe(LEARNT * recipe.evaluate().loss)
    assert "our own were no more than" in str(checks.model_error())
    hosts.known = set()
    assert not checks.model_error() and not checks.why_refused()
    hosts.known = known
    assert "our own were no more than" in str(checks.model_error())
    hosts.known = set()
    with torch.no_grad():
        next(recipe.model.parameters()).fill_(math.nan)
    assert "not a number" in str(checks.model_error())


def test_a_checkpoint_that_was_put_in_place_while_experts_were_away_says_nothing_of_what_others_may_have(
    recipe: MixtureLanguageModel, hosts: LeavingHosts
) -> None:
    checks, known = NumericChecks.of_untrained(recipe), hosts.known
    hosts.known = set()
    checks.observe_checkpoint()
    assert checks.worst_loss() is None
    hosts.known = known
    checks.observe_checkpoint()
    assert checks.worst_loss() is not None


class Following(Alone):
    """Stands for an optimizer that follows others' epochs, one with each rest."""

    needs_gradient = False

    def rest(self) -> None:
        self.local_epoch += 1


def test_an_epoch_that_ends_without_experts_is_told_without_any_figure_and_ends_no_peer(
    recipe: MixtureLanguageModel, hosts: LeavingHosts
) -> None:
    checks, leaving = NumericChecks(recipe, untrained_loss=0.0), threading.Event()  # for which any loss is absurd
    optimizer = cast(SwarmOptimizer, Following(cast(Any, recipe)))
    hosts.known = set()
    events = Trainer(recipe, optimizer, 1, RateLimiter(), checks, lambda: False).events(leaving, "cpu")
    told = [next(each for each in events if isinstance(each, Evaluated)) for _ in range(4)]
    leaving.set()
    assert [(each.accuracy, each.loss, each.examples) for each in told] == [(None, None, ())] * 4


class OfBaseWeights(LocalSgdOptimizer):
    """As much of one as an evaluation of its base weights looks at, which are those of the model."""

    def __init__(self, recipe: MixtureLanguageModel) -> None:
        self._weights, self.needs_gradient = list(recipe.model.parameters()), True
        self.state_averager = cast(Any, SimpleNamespace(main_parameters=self._weights))

    def base_weights(self) -> list[Tensor]:
        return [*self._weights]

    def __del__(self) -> None:
        """Nothing was started."""


def test_base_weights_have_no_loss_to_sign_where_experts_were_lacking(
    recipe: MixtureLanguageModel, hosts: LeavingHosts
) -> None:
    optimizer, own = OfBaseWeights(recipe), Evaluated(epoch=3, loss=1.0, accuracy=0.5)
    assert of_base_weights(own, recipe, optimizer).loss == pytest.approx(recipe.evaluate().loss)
    hosts.known = set()
    assert of_base_weights(own, recipe, optimizer).loss is None
    unmeasured = Evaluated(epoch=3, loss=None, accuracy=None)
    assert of_base_weights(unmeasured, recipe, optimizer) is unmeasured


def calls_of_evaluation(recipe: MixtureLanguageModel, hosts: LeavingHosts) -> int:
    """How often an evaluation calls the hosts of the only layer."""
    hosts.calls_left = 0.0
    recipe.evaluate()
    calls, hosts.calls_left = -int(hosts.calls_left), math.inf
    return calls


def test_nobody_is_tried_out_with_other_experts_in_one_of_two_measurements(
    recipe: MixtureLanguageModel, hosts: LeavingHosts
) -> None:
    base = [each.detach().clone() for each in recipe.model.parameters()]
    sent = {"peer": EncodedTensors.of([torch.ones_like(each) for each in base], codec("int8"))}
    trials, calls = ChangeTrials(recipe, cast(Any, None), lambda peer, change: None), calls_of_evaluation(recipe, hosts)
    assert trials.changes_of_loss(base, sent).keys() == {"peer"}
    hosts.leaves_after = calls, 0  # between the two measurements
    assert trials.changes_of_loss(base, sent) == {}
    assert trials.changes_of_loss(base, sent).keys() == {"peer"}, "it is away in both"
    hosts.silent = {1}  # of which nobody knows yet: whether it answers is another matter each time
    assert trials.changes_of_loss(base, sent) == {}
    hosts.silent, hosts.calls_left = set(), 1  # in the middle of the first of two measurements
    assert trials.changes_of_loss(base, sent) == {}
    hosts.known = set()
    assert trials.changes_of_loss(base, sent) == {}
