"""The built-in recipe: its sums, its model, and that it learns."""

from __future__ import annotations

import time

import pytest
import torch
from torch import Tensor, nn

from core.run.manifest import RunInfo, RunManifest
from core.run.spec.collaboration import Collaboration
from core.run.spec.data import SumsData
from core.run.spec.optimizer import AdamW
from core.run.spec.recipe import ArithmeticGPT
from core.worker.compute.optimizers import make_optimizer
from core.worker.recipes import Recipe, build
from core.worker.recipes.arithmetic_gpt import ArithmeticRecipe, Sums, is_held_out
from core.worker.recipes.recipe import EVALUATED_AT_ONCE

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def manifest(digits: int = 2, layers: int = 2, width: int = 64, dropout: float = 0.0) -> RunManifest:
    return RunManifest(
        run=RunInfo(id="sums", name="Sums"),
        recipe=ArithmeticGPT(layers=layers, width=width, heads=16, dropout=dropout),
        data=SumsData(digits=digits),
        collaboration=Collaboration(target_batch_size=512, batch_size_per_step=64),
    )


def recipe(digits: int = 2, seed: int = 1, width: int = 64) -> ArithmeticRecipe:
    built = build(manifest(digits, width=width), seed=seed, device=CPU)
    assert isinstance(built, ArithmeticRecipe)
    return built


def train(pupil: Recipe, steps: int, batch_size: int) -> list[float]:
    spec = AdamW(learning_rate=5e-3, beta1=0.8, beta2=0.95)
    optimizer = make_optimizer(spec)(pupil.model.parameters())
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = pupil.loss(pupil.draw(batch_size))
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
    return losses


def operands(inputs: Tensor, digits: int) -> Tensor:
    """The pairs that those inputs spell, (samples, 2)."""
    powers = 10 ** torch.arange(digits).flip(0)
    return torch.stack([(inputs[:, :digits] * powers).sum(1), (inputs[:, digits + 1 :][:, :digits] * powers).sum(1)], 1)


class Calculator(nn.Module):
    """Answers like a model that can add; ``mistake`` is added to every sum."""

    def __init__(self, digits: int, mistake: int = 0) -> None:
        super().__init__()
        self.digits, self.mistake, self.equals_at = digits, mistake, 2 * digits + 1

    def forward(self, tokens: Tensor) -> Tensor:
        sums = operands(tokens, self.digits).sum(1, keepdim=True) + self.mistake
        answers = sums // 10 ** torch.arange(self.digits + 1) % 10
        written = tokens.shape[1] - self.equals_at
        return nn.functional.one_hot(answers[:, :written], 10) * 100.0


def test_a_sum_is_spelled_with_its_answer_units_first() -> None:
    batch = Sums(2, seed=0).encode(torch.tensor([[17, 25], [9, 98]]))
    assert batch.inputs.tolist() == [[1, 7, 10, 2, 5, 11, 2, 4], [0, 9, 10, 9, 8, 11, 7, 0]]
    assert batch.targets.tolist() == [[2, 4, 0], [7, 0, 1]]


@pytest.mark.parametrize("digits", [1, 2, 3, 6])
def test_held_out_pairs_are_never_drawn(digits: int) -> None:
    drawn = operands(recipe(digits).draw(20_000).inputs, digits)
    assert not is_held_out(drawn).any()
    assert drawn.min() >= 0 and drawn.max() < 10**digits


@pytest.mark.parametrize("digits", [1, 2, 3, 4, 5, 6])
def test_about_three_in_a_hundred_pairs_are_held_out_in_either_order(digits: int) -> None:
    pairs = torch.randint(10**digits, (100_000, 2), generator=torch.Generator().manual_seed(3))
    held_out = is_held_out(pairs)
    assert 0.01 < float(held_out.float().mean()) < 0.05
    assert torch.equal(held_out, is_held_out(pairs.flip(1)))


@pytest.mark.parametrize("digits", [1, 2, 6])
def test_every_peer_is_asked_the_same_held_out_sums(digits: int) -> None:
    mine, yours = Sums(digits, seed=0).held_out(), Sums(digits, seed=0).held_out()
    assert torch.equal(mine, yours)
    assert is_held_out(mine).all() and len(mine.unique(dim=0)) == len(mine) > 0  # type: ignore[no-untyped-call]


def test_the_seed_decides_what_a_peer_draws() -> None:
    first, again, other = recipe(seed=1), recipe(seed=1), recipe(seed=2)
    assert torch.equal(first.draw(64).inputs, again.draw(64).inputs)
    assert not torch.equal(first.draw(64).inputs, other.draw(64).inputs)
    assert not torch.equal(first.draw(64).inputs, first.draw(64).inputs)


def test_every_peer_starts_with_equal_weights() -> None:
    torch.manual_seed(5)
    first = recipe(seed=1).model.state_dict()
    torch.manual_seed(6)
    other = recipe(seed=2).model.state_dict()
    assert all(torch.equal(first[name], other[name]) for name in first)


def test_it_knows_nothing_at_first() -> None:
    result = recipe().evaluate()
    assert result.loss > 2.0
    assert result.accuracy < 0.1


def test_an_evaluation_computes_few_tokens_at_once_and_its_loss_is_that_of_all() -> None:
    pupil, sizes = recipe(), list[int]()
    everything = Sums(2, 0)
    whole = pupil.loss(everything.encode(everything.held_out()))
    pupil.model.register_forward_pre_hook(lambda _model, inputs: sizes.append(inputs[0].numel()))
    assert pupil.evaluate().loss == pytest.approx(float(whole.detach()), rel=1e-5)
    assert max(sizes) <= EVALUATED_AT_ONCE < sum(sizes)


def test_the_loss_falls_within_ten_steps() -> None:
    losses = train(recipe(), steps=10, batch_size=256)
    assert min(losses[-3:]) < losses[0] - 0.5


def test_the_loss_of_a_batch_is_the_mean_over_its_samples() -> None:
    pupil = recipe()
    batch = pupil.draw(32)
    halves = [type(batch)(batch.inputs[part], batch.targets[part]) for part in (slice(16), slice(16, 32))]
    whole = pupil.loss(batch)
    torch.testing.assert_close(whole, (pupil.loss(halves[0]) + pupil.loss(halves[1])) / 2)


def test_later_tokens_do_not_change_earlier_answers() -> None:
    pupil = recipe()
    inputs = pupil.draw(8).inputs
    changed = inputs.clone()
    changed[:, -1] = (changed[:, -1] + 1) % 10
    torch.testing.assert_close(pupil.model(inputs)[:, :-1], pupil.model(changed)[:, :-1])


def test_it_learns_to_add_single_digits() -> None:
    pupil = recipe(digits=1)
    train(pupil, steps=60, batch_size=128)
    batch = pupil.draw(200)
    with torch.no_grad():
        right = (pupil.model(batch.inputs).argmax(-1) == batch.targets).all(1)
    assert right.float().mean() >= 0.9


def test_who_can_add_is_always_right() -> None:
    pupil = recipe(digits=3)
    pupil.model = Calculator(3)  # type: ignore[assignment]
    result = pupil.evaluate()
    assert result.accuracy == 1.0
    assert result.loss < 1e-3
    for example in result.examples:
        question, answer = example.text.split("=")
        assert example.correct and sum(map(int, question.split("+"))) == int(answer)


def test_who_is_always_one_too_high_is_never_right() -> None:
    pupil = recipe(digits=3)
    pupil.model = Calculator(3, mistake=1)  # type: ignore[assignment]
    result = pupil.evaluate()
    assert result.accuracy == 0.0
    for example in result.examples:
        question, answer = example.text.split("=")
        assert not example.correct and sum(map(int, question.split("+"))) + 1 == int(answer)


def test_an_evaluation_leaves_training_as_it_was() -> None:
    first = build(manifest(dropout=0.1), seed=1, device=CPU)
    again = build(manifest(dropout=0.1), seed=1, device=CPU)
    first.evaluate()
    assert first.model.training
    assert all(parameter.grad is None for parameter in first.model.parameters())
    assert torch.equal(first.draw(64).inputs, again.draw(64).inputs)


def test_an_evaluation_does_not_hold_up_training() -> None:
    pupil = recipe()
    pupil.evaluate()
    seconds = []
    for _ in range(5):
        began = time.thread_time()
        pupil.evaluate()
        seconds.append(time.thread_time() - began)
    assert min(seconds) < 0.1


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
def test_it_trains_on_a_gpu_from_the_same_sums_and_weights() -> None:
    there = build(manifest(), seed=1, device=torch.device("cuda"))
    here = recipe(seed=1)
    batch, same = there.draw(64), here.draw(64)
    assert batch.inputs.is_cuda and torch.equal(batch.inputs.cpu(), same.inputs)
    torch.testing.assert_close(there.loss(batch).cpu(), here.loss(same), rtol=1e-3, atol=1e-3)
    assert there.evaluate().examples


def test_a_model_whose_evaluation_fails_can_be_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    pupil = recipe()
    monkeypatch.setattr(pupil, "_solve", None)
    with pytest.raises(TypeError):
        pupil.evaluate()
    assert pupil.model.training
