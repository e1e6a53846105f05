"""The loop takes as many samples at a time as there is memory for."""

from __future__ import annotations

import dataclasses
import itertools
import math
import threading
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
import torch
from torch import Tensor

from core.errors import ErrorKind, UserError
from core.protocol.events import Evaluated, Progress, RoundFinished, Warned
from core.run.spec.data import SumsData
from core.run.spec.optimizer import AdamW
from core.run.spec.recipe import ArithmeticGPT
from core.worker.delegation.download_limit import downloads
from core.worker.recipes import Batch, Evaluation
from core.worker.recipes.arithmetic_gpt import ArithmeticRecipe
from core.worker.swarm import SwarmOptimizer
from core.worker.training.numeric_checks import MIN_LOSSES, PATIENCE_STEPS, NumericChecks
from core.worker.training.trainer import ABSURD_EPOCHS, RateLimiter, Trainer
from tests.support.fault_injection import gave
from tests.support.real_peers import PATIENCE_SECONDS, PeerGroup, tiny

LEARNT = 0.8  # of the untrained model's loss


class Cramped(ArithmeticRecipe):
    """A recipe on a device that has room for so many samples."""

    def __init__(self, room: int) -> None:
        numbers, data = ArithmeticGPT(layers=1, width=16, heads=1), SumsData(digits=1)
        super().__init__(numbers, data, seed=1, device=torch.device("cpu"))
        self.room = room

    def loss(self, batch: Batch) -> Tensor:
        if len(batch.inputs) > self.room:
            raise torch.OutOfMemoryError("no room")
        return super().loss(batch)


class Activation(Tensor):
    """What a forward pass keeps on the device for the backward pass."""


class Hoarding(Cramped):
    """A recipe that says what is still kept of its last micro-batch that found no room."""

    def loss(self, batch: Batch) -> Tensor:
        activation = torch.ones(1).as_subclass(Activation)
        self.kept = weakref.ref(activation)
        return super().loss(batch)


class Unlearning(Cramped):
    """A recipe whose model is worse at every evaluation than one that has learned nothing."""

    evaluations = 0

    def evaluate(self) -> Evaluation:
        self.evaluations += 1
        return dataclasses.replace(super().evaluate(), loss=3.0 * 10.0 ** (self.evaluations - 1))


class Infinite(Cramped):
    """A recipe of whose micro-batches none has a loss that is a number; it counts them."""

    drawn = 0

    def loss(self, batch: Batch) -> Tensor:
        self.drawn += 1
        assert self.drawn <= 3 * PATIENCE_STEPS, "training goes on for ever"
        return super().loss(batch) * math.nan


class Alone:
    """As much of an optimizer as the loop looks at, without others; ``steps`` are its batches' sizes."""

    def __init__(self, recipe: Cramped) -> None:
        self._recipe, self.local_epoch, self.steps = recipe, 0, list[int]()
        progress = SimpleNamespace(samples_accumulated=0, target_batch_size=9, num_peers=1, num_clients=0)
        self.state_averager = SimpleNamespace(roots={0: b"untrained"}, stepped_at={})
        self.tracker = SimpleNamespace(
            target_batch_size=9,
            global_progress=progress,
            local_progress=progress,
            statistics=SimpleNamespace(
                my_rate=lambda: None, swarm_rate=lambda: None, seconds_to_next_epoch=lambda: None
            ),
        )

    def step(self, batch_size: int) -> None:
        self.steps.append(batch_size)

    def zero_grad(self) -> None:
        self._recipe.model.zero_grad()

    forget_gradient = zero_grad
    takes_own_steps, own_step_seconds, delay_optimizer_step, use_gradient_averaging = False, 0.0, False, False
    most_steps: int | None = None
    rests = 0

    def rest(self) -> None:
        self.rests += 1
        self.local_epoch += self.rests % 3 == 0

    needs_gradient, is_organiser = True, False

    def exchanged_share(self) -> None:
        pass


class Behind(Alone):
    """A newcomer whose first downloads of the run's state fail; hivemind then counts its epochs as if it had it."""

    def __init__(self, recipe: Cramped, failures: int) -> None:
        super().__init__(recipe)
        self.tracker.global_epoch, self._failures, self.downloads = 1, failures, 0

    def load_state_from_peers(self) -> None:
        self.local_epoch, self.downloads = 1, self.downloads + 1

    @property
    def has_run_state(self) -> bool:
        return self.downloads > self._failures


def trainer_of(recipe: Cramped, optimizer: Alone, batch_size: int, is_cut: Callable[[], bool]) -> Trainer:
    """The loop of that recipe and optimizer."""
    checks = NumericChecks.of_untrained(recipe)
    return Trainer(recipe, cast(SwarmOptimizer, optimizer), batch_size, RateLimiter(), checks, is_cut)


def training(recipe: Cramped, batch_size: int) -> tuple[Alone, Iterator[Any], threading.Event]:
    """A loop that begins with so many samples at a time."""
    optimizer, leaving = Alone(recipe), threading.Event()
    trainer = trainer_of(recipe, optimizer, batch_size, lambda: False)
    return optimizer, trainer.events(leaving, "cpu"), leaving


@pytest.mark.parametrize("failures", [0, 2])
def test_a_newcomer_asks_until_it_has_the_runs_state(failures: int) -> None:
    recipe = Cramped(room=4)
    newcomer = Behind(recipe, failures)
    trainer_of(recipe, newcomer, 4, lambda: False).catch_up(threading.Event())
    assert newcomer.downloads == failures + 1


def test_a_newcomer_whose_line_is_cut_asks_nobody_until_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.worker.training.trainer.REPORT_SECONDS", 0.0)
    recipe, looks = Cramped(room=4), iter([True] * 20 + [False])
    newcomer = Behind(recipe, failures=0)
    trainer_of(recipe, newcomer, 4, lambda: next(looks)).catch_up(threading.Event())
    assert newcomer.downloads == 1


def test_a_newcomer_that_is_told_to_leave_stops_asking() -> None:
    recipe, leaving = Cramped(room=4), threading.Event()
    newcomer = Behind(recipe, failures=3)
    leaving.set()
    trainer_of(recipe, newcomer, 4, lambda: False).catch_up(leaving)
    assert newcomer.downloads == 0


def test_who_averages_for_others_and_uses_no_gradient_computes_nothing() -> None:
    recipe = Cramped(room=0)  # no micro-batch fits
    optimizer, events, leaving = training(recipe, batch_size=4)
    optimizer.needs_gradient = False
    done = next(event for event in events if isinstance(event, Progress))
    leaving.set()
    assert (done.contributed_samples, done.loss, optimizer.steps) == (0, None, [])
    assert optimizer.rests > 0


def test_progress_is_reported_as_seldom_as_is_asked_for() -> None:
    recipe, leaving = Cramped(room=4), threading.Event()
    optimizer = Alone(recipe)
    optimizer.most_steps = 5
    trainer = trainer_of(recipe, optimizer, 4, lambda: False)
    events = trainer.events(leaving, "cpu")
    next(event for event in events if isinstance(event, Progress))
    trainer.report_seconds = 3600.0
    seldom = list(itertools.takewhile(lambda event: not isinstance(event, Evaluated) or event.epoch < 3, events))
    trainer.report_seconds = 0.0
    often = list(itertools.takewhile(lambda event: not isinstance(event, Evaluated) or event.epoch < 6, events))
    leaving.set()
    assert not any(isinstance(event, Progress) for event in seldom)
    assert sum(isinstance(event, Progress) for event in often) >= 2 * 5


def test_what_was_fetched_from_the_web_is_received_traffic() -> None:
    _, events, leaving = training(Cramped(room=4), batch_size=4)
    before = next(event for event in events if isinstance(event, Progress)).received_bytes
    assert not list(downloads().pauses(5_000_000))
    after = next(event for event in events if isinstance(event, Progress)).received_bytes
    leaving.set()
    assert after - before == 5_000_000


def test_out_of_memory_halves_the_micro_batch_and_says_so() -> None:
    recipe = Cramped(room=5)
    optimizer, events, leaving = training(recipe, batch_size=16)
    warned = [event for event, _ in zip(events, range(6), strict=False) if isinstance(event, Warned)]
    assert [each.problem for each in warned] == [ErrorKind.OUT_OF_MEMORY.key] * 2
    assert "4 samples at a time" in str(warned[-1].detail)
    recipe.room = 3  # somebody else uses the device now
    assert "2 samples at a time" in str(next(event for event in events if isinstance(event, Warned)).detail)
    done = next(event for event in events if isinstance(event, Progress))
    leaving.set()
    assert set(optimizer.steps) == {4, 2} and optimizer.steps == sorted(optimizer.steps, reverse=True)
    assert done.contributed_samples == sum(optimizer.steps)


def test_what_found_no_room_is_free_again_before_the_next_try() -> None:
    recipe, kept = Hoarding(room=4), list[object]()
    optimizer, events, leaving = training(recipe, batch_size=8)
    forget = optimizer.forget_gradient

    def forget_and_look() -> None:
        kept.append(recipe.kept())
        forget()

    optimizer.forget_gradient = forget_and_look  # type: ignore[method-assign]
    assert "4 samples at a time" in str(next(event for event in events if isinstance(event, Warned)).detail)
    leaving.set()
    assert kept == [None]


def test_who_has_taken_all_steps_of_a_round_rests_until_it_ends() -> None:
    optimizer, events, leaving = training(Cramped(room=4), batch_size=4)
    optimizer.most_steps = 5
    ended = (event for event in events if isinstance(event, Evaluated))
    assert [next(ended).epoch, next(ended).epoch] == [1, 2]
    leaving.set()
    assert (len(optimizer.steps), optimizer.rests) == (2 * 5, 2 * 3)


class Overtaken(Alone):
    """Stands for an optimizer of a peer that comes back; the run has come further meanwhile, and its state is there.

    ``told`` are the epochs in which it has told the others that it is there.
    """

    def __init__(self, recipe: Cramped) -> None:
        super().__init__(recipe)
        self.told = list[int]()
        self.presence = SimpleNamespace(tell=lambda: self.told.append(self.local_epoch))
        self.tracker.ready_to_update_epoch, self.state_averager.pending_updates = False, ()

    def take_newer_state(self) -> None:
        self.local_epoch = 7

    @property
    def has_run_state(self) -> bool:
        return self.local_epoch == 7


@pytest.mark.parametrize("waits_for", ["organiser", "experts"])
def test_who_waits_computes_nothing_and_takes_the_runs_state_all_the_same(waits_for: str) -> None:
    recipe, leaving, are_away = Cramped(room=4), threading.Event(), waits_for == "experts"
    optimizer, checks = Overtaken(recipe), NumericChecks.of_untrained(recipe)
    trainer = Trainer(
        recipe, cast(SwarmOptimizer, optimizer), 4, RateLimiter(), checks, lambda: False, lambda: are_away
    )
    trainer.is_held = waits_for == "organiser"
    events = trainer.events(leaving, "cpu")
    assert next(event for event in events if isinstance(event, Evaluated)).epoch == 7
    assert next(event for event in events if isinstance(event, Progress)).samples_per_second is None
    assert not optimizer.steps and optimizer.tracker.is_held and set(optimizer.told) == {7}
    trainer.is_held = are_away = False
    done = next(event for event in events if isinstance(event, Progress) and event.contributed_samples)
    leaving.set()
    assert done.contributed_samples == sum(optimizer.steps) and not optimizer.tracker.is_held


class LocalSteps(Alone):
    """With local SGD; of each epoch, ``is_outer_step`` says whether the run's base weights have moved."""

    takes_own_steps = True

    def __init__(self, recipe: Cramped, *, is_outer_step: bool) -> None:
        super().__init__(recipe)
        self._is_outer_step = is_outer_step

    def step(self, batch_size: int) -> None:
        super().step(batch_size)
        self.local_epoch += 1
        if self._is_outer_step:
            self.state_averager.roots[self.local_epoch] = b"trained"


@pytest.mark.parametrize("is_outer_step", [True, False])
def test_others_are_compared_with_a_model_of_the_run_and_not_with_what_was_learned_alone(is_outer_step: bool) -> None:
    recipe, leaving = Cramped(room=4), threading.Event()
    checks = NumericChecks.of_untrained(recipe)
    optimizer = cast(SwarmOptimizer, LocalSteps(recipe, is_outer_step=is_outer_step))
    events = Trainer(recipe, optimizer, 4, RateLimiter(), checks, lambda: False).events(leaving, "cpu")
    evaluated = [event for event, _ in zip(events, range(20), strict=False) if isinstance(event, Evaluated)]
    leaving.set()
    assert len(evaluated) > MIN_LOSSES
    assert (checks.worst_loss() is not None) is is_outer_step


def test_a_device_without_room_for_one_sample_is_out_of_memory() -> None:
    _, events, _ = training(Cramped(room=0), batch_size=2)
    with pytest.raises(torch.OutOfMemoryError):
        list(events)


class Losing(Alone):
    """In a run of which nobody has a better model; every micro-batch is an epoch."""

    downloads = 0

    def step(self, batch_size: int) -> None:
        super().step(batch_size)
        self.local_epoch += 1

    def replace_model(self) -> None:
        self.downloads += 1


@pytest.mark.parametrize("is_organiser", [False, True])
def test_a_run_whose_model_unlearns_ends_a_volunteer_with_that_reason_and_tells_its_organiser(
    is_organiser: bool,
) -> None:
    recipe = Unlearning(room=9)
    optimizer, leaving, said = Losing(recipe), threading.Event(), list[Any]()
    optimizer.is_organiser = is_organiser
    events = trainer_of(recipe, optimizer, 4, lambda: False).events(leaving, "cpu")
    if is_organiser:
        said.append(next(event for event in events if isinstance(event, Warned) and "unlearned" in event.problem))
    else:
        with pytest.raises(UserError) as ended:
            said.extend(events)
        assert ended.value.problem is ErrorKind.MODEL_UNLEARNED
        assert f"of epoch {ABSURD_EPOCHS}" in str(ended.value.detail)
    assert optimizer.local_epoch == ABSURD_EPOCHS
    assert optimizer.downloads == 1


def test_who_computes_nothing_finite_sends_nothing_takes_the_runs_state_once_and_then_gives_up() -> None:
    recipe, downloaded_after = Infinite(room=9), list[int]()
    optimizer, events, _ = training(recipe, batch_size=4)
    optimizer.replace_model = lambda: downloaded_after.append(recipe.drawn)  # type: ignore[attr-defined]
    said = list[Any]()
    with pytest.raises(UserError) as ended:
        said.extend(events)
    warned = [event for event in said if isinstance(event, Warned)]
    assert [each.problem for each in warned] == [ErrorKind.NOT_FINITE.key]
    assert optimizer.steps == [] and all(each.grad is None for each in recipe.model.parameters())
    assert downloaded_after == [PATIENCE_STEPS]
    assert ended.value.problem is ErrorKind.NOT_FINITE
    assert recipe.drawn == 2 * PATIENCE_STEPS + 1


@pytest.mark.real
@pytest.mark.timeout(900)
def test_two_whose_gradients_add_up_where_they_are_computed_learn_together(group: PeerGroup) -> None:
    quick = AdamW(learning_rate=0.01, max_grad_norm=None)
    run = msgspec.structs.replace(tiny(reuse_grad_buffers=True, target_batch_size=1000), optimizer=quick)
    organiser = group.organiser(manifest=run)
    volunteer = group.volunteer(organiser.posted, "volunteer")
    untrained = organiser.wait_for(Evaluated).loss
    assert untrained is not None
    for peer in (organiser, volunteer):
        peer.wait_for(RoundFinished, gave)
        has_learnt = partial(is_below, LEARNT * untrained)
        peer.wait_for(Evaluated, has_learnt, seconds=PATIENCE_SECONDS)


def is_below(loss: float, event: Evaluated) -> bool:
    """Whether that loss was measured, or a lower one."""
    return event.loss is not None and event.loss < loss
