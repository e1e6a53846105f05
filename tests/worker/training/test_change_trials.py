"""What others have changed is tried out: a liar makes the held-out loss worse, and an honest peer does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
import torch
from torch import Tensor

from core.run.spec.data import SumsData
from core.run.spec.recipe import ArithmeticGPT
from core.worker.recipes import Evaluation
from core.worker.recipes.arithmetic_gpt import ArithmeticRecipe
from core.worker.swarm import EncodedTensors
from core.worker.swarm.aggregation.rules import aggregate
from core.worker.swarm.local_sgd.codecs.wire import codec
from core.worker.swarm.local_sgd.outer_optimizer import OuterNesterov
from core.worker.swarm.trust.findings import LEAST_TRIES, REMEMBERED_TRIES, TrialLedger
from core.worker.training.change_trials import ChangeTrials

ROUNDS, STEPS, MICRO_BATCH = 10, 20, 16
SMALL = 50  # a peer of other samples than most knows only sums whose first number is smaller
CODECS = "int8", "topk"


class Peer:
    """One that trains from the base weights; ``draws`` says what it does with the sums that it draws."""

    def __init__(self, seed: int, only_small: bool = False) -> None:
        numbers = ArithmeticGPT(layers=1, width=32, heads=1)
        self.recipe = ArithmeticRecipe(numbers, SumsData(digits=2), seed=seed, device=torch.device("cpu"))
        if only_small:
            sums: Any = self.recipe._sums
            sums._random_pairs = _small_ones(sums._random_pairs)
        self.parameters = list(self.recipe.model.parameters())
        self._optimizer = torch.optim.AdamW(self.parameters, lr=5e-4)

    def changes(self, base: list[Tensor]) -> list[Tensor]:
        """Base weights minus those after some steps."""
        with torch.no_grad():
            for parameter, weights in zip(self.parameters, base, strict=True):
                parameter.copy_(weights)
        for _ in range(STEPS):
            self._optimizer.zero_grad()
            torch.autograd.backward(self.recipe.loss(self.recipe.draw(MICRO_BATCH)))
            self._optimizer.step()
        return [(weights - after).detach() for weights, after in zip(base, self.parameters, strict=True)]


def _small_ones(draw: Callable[[int], Tensor]) -> Callable[[int], Tensor]:
    def draw_small(samples: int) -> Tensor:
        pairs = draw(samples)
        pairs[:, 0] %= SMALL
        return pairs

    return draw_small


class Lying:
    """What liars send in place of what an honest peer has changed, told of each round."""

    def __init__(self) -> None:
        self._random = torch.Generator().manual_seed(0)

    def of(self, truth: list[Tensor]) -> dict[str, list[Tensor]]:
        """By the name of the lie."""
        return {
            "flip": [-each for each in truth],
            "huge": [-1000 * each for each in truth],
            "hidden": [-each + each.norm() / each.numel() ** 0.5 * self._noise(each) for each in truth],
        }

    def _noise(self, like: Tensor) -> Tensor:
        return torch.randn(like.shape, generator=self._random)


@contextmanager
def one_thread() -> Iterator[None]:
    """The model is so small that more of them only get into each other's way."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("name", CODECS)
def test_a_liar_is_named_and_neither_honest_peers_are_nor_one_of_other_samples(name: Any) -> None:
    peers = {"first": Peer(1), "second": Peer(2), "of other samples": Peer(3, only_small=True)}
    keeper, lying, ledger = Peer(4), Lying(), TrialLedger()
    base = [torch.nn.Parameter(each.detach().clone()) for each in keeper.parameters]
    outer = OuterNesterov(base, lr=0.7, momentum=0.9, outer_steps=torch.zeros(1))
    trials = ChangeTrials(keeper.recipe, cast(Any, None), ledger.add)
    with one_thread():
        for _ in range(ROUNDS):
            before = [each.detach().clone() for each in keeper.parameters]
            weights = [each.detach().clone() for each in base]
            honest = {peer: each.changes(weights) for peer, each in peers.items()}
            sent = {
                peer: EncodedTensors.of(each, codec(name))
                for peer, each in (honest | lying.of(honest["first"])).items()
            }
            for peer, change in trials.changes_of_loss(weights, sent).items():
                ledger.add(peer, change)
            assert all(map(torch.equal, before, keeper.parameters)), "the model is as it was"
            for index, each in enumerate(base):
                parts = [sent[peer].decoded(index).view(-1) for peer in honest]
                each.grad = aggregate(parts, [1.0] * len(parts), "clip", 4.0).view(each.shape)
            outer.step()
    scores = {score.peer_id: score for score in ledger.scores()}
    assert {peer for peer, score in scores.items() if score.is_harmful} == {"flip", "huge", "hidden"}, scores


class WithExpertsElsewhere:
    """A recipe whose held-out loss falls with every measurement, whatever the weights are: its experts learn on."""

    def __init__(self) -> None:
        self.model, self._loss = torch.nn.Linear(2, 1), 4.0

    def evaluate(self) -> Evaluation:
        """A per cent less than the last time."""
        self._loss *= 0.99
        return Evaluation(self._loss, 0.0, ())


def test_nobody_is_named_because_experts_on_other_computers_learn_between_two_measurements() -> None:
    recipe, ledger = WithExpertsElsewhere(), TrialLedger()
    trials = ChangeTrials(cast(Any, recipe), cast(Any, None), ledger.add)
    base = [each.detach().clone() for each in recipe.model.parameters()]
    sent = {peer: EncodedTensors.of([torch.ones_like(each) for each in base], codec("int8")) for peer in ("a", "b")}
    for _ in range(REMEMBERED_TRIES):
        for peer, change in trials.changes_of_loss(base, sent).items():
            ledger.add(peer, change)
    assert not any(score.is_harmful for score in ledger.scores()), ledger.scores()


def test_nobody_is_named_by_few_tries_nor_by_as_many_better_ones_nor_by_little_harm() -> None:
    ledger = TrialLedger()
    for _ in range(LEAST_TRIES - 1):
        ledger.add("new", 0.5)
    for number in range(REMEMBERED_TRIES):
        for good in ("one", "another", "a third", "a fourth"):
            ledger.add(good, -0.02)
        ledger.add("mixed", 0.02 if number % 2 else -0.01)
        ledger.add("little harm", 0.005)
        ledger.add("liar", 0.02)
    assert [score.peer_id for score in ledger.scores() if score.is_harmful] == ["liar"]
    ledger.add("new", 0.5)
    assert {score.peer_id for score in ledger.scores() if score.is_harmful} == {"liar", "new"}


def test_who_changes_weights_to_what_is_no_number_or_shows_what_is_no_encoding_spoils_nothing() -> None:
    keeper, ledger = Peer(4), TrialLedger()
    base = [each.detach().clone() for each in keeper.parameters]
    broken = EncodedTensors([each.shape for each in base], codec("int8"))
    broken.put(0, torch.ones(1, dtype=torch.uint8))
    infinite = EncodedTensors.of([torch.full_like(each, 3e38) for each in base], codec("int8"))
    found = ChangeTrials(keeper.recipe, cast(Any, None), ledger.add).changes_of_loss(
        base, {"broken": broken, "infinite": infinite}
    )
    assert found.keys() == {"infinite"} and 0 < found["infinite"] <= 1, found
    assert all(map(torch.equal, base, keeper.parameters))
