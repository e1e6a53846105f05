"""Train one model on the same samples, in the same order, by one of the ways; one process and one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.run.manifest import SchedulerSpec
from core.worker.compute.learning_rate import make_scheduler
from core.worker.compute.muon import hidden_matrices
from core.worker.compute.optimizers import make_optimizer
from core.worker.recipes.initialization import model_from_scratch
from core.worker.swarm.local_sgd.inner_optimizer import InnerOptimizer
from tests.experiments.same_samples.outer_round import OuterRounds
from tests.experiments.same_samples.program_text import ProgramText
from tests.experiments.same_samples.report import Result
from tests.experiments.same_samples.results_file import add_result, read_results
from tests.experiments.same_samples.trials import (
    CODECS,
    EVALUATED_EVERY,
    INNER_STEPS,
    MICRO_BATCH,
    PEERS,
    SIZES,
    SWARM_BATCH,
    WARM_UP_SAMPLES,
    Curve,
    Trial,
    collaboration,
    optimizer_of,
)

SEED = 1
EVALUATED_AT_ONCE = 64
STEP_SAMPLES = PEERS * MICRO_BATCH
Point = tuple[int, float]


def simulate(trial: Trial) -> Curve:
    """The held-out loss of that trial, before it, between and at the end."""
    text, model = ProgramText(SEED), model_from_scratch(SIZES[trial.size].recipe)
    draw = micro_batches(text)
    points = _local_sgd(trial, model, draw) if trial.way in CODECS else _in_step(trial, model, draw)
    first = (0, held_out_loss(model, text.held_out))
    return Curve((first, *((samples, held_out_loss(model, text.held_out)) for samples in points)))


def micro_batches(text: ProgramText) -> Callable[[], Tensor]:
    """What draws the micro-batches of all peers' next step, (peers, samples, bytes): the same for every way."""
    return lambda: text.draw(STEP_SAMPLES).view(PEERS, MICRO_BATCH, -1)


def _in_step(trial: Trial, model: nn.Module, draw: Callable[[], Tensor]) -> Iterator[int]:
    """All peers' gradients are averaged for each step; yields the samples so far where the model is to be looked at."""
    batch = SWARM_BATCH if trial.way.startswith("gradients") else STEP_SAMPLES
    optimizer = _optimizer(trial, model)(list(model.parameters()))
    steps = -(-trial.samples // batch)
    schedule = _schedule(optimizer, -(-WARM_UP_SAMPLES // batch), steps)
    due = looked_at(trial)
    samples = 0
    for _ in range(steps):
        pieces = min(batch, trial.samples - samples) // STEP_SAMPLES
        for _ in range(pieces):
            (loss_of(model, draw().flatten(0, 1)) / pieces).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        samples += pieces * STEP_SAMPLES
        if samples >= due[0]:
            due = [place for place in due if place > samples] or [trial.samples]
            yield samples


def _local_sgd(trial: Trial, model: nn.Module, draw: Callable[[], Tensor]) -> Iterator[int]:
    """Each peer steps by itself; yields the samples so far at the end of a round, with base weights in the model."""
    weights = list(model.parameters())
    rounds = OuterRounds(weights, collaboration(trial.way), PEERS)
    models = [model, *(model_from_scratch(SIZES[trial.size].recipe) for _ in range(PEERS - 1))]
    peers = [list(each.parameters()) for each in models]
    inner = [InnerOptimizer(own, _optimizer(trial, model), _rounds(trial)) for own in peers]
    due = looked_at(trial)
    for number in range(trial.rounds):
        for _ in range(INNER_STEPS):
            for each, optimizer, batch in zip(models, inner, draw(), strict=True):
                loss_of(each, batch).backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        rounds.end(peers, INNER_STEPS * MICRO_BATCH)
        for optimizer in inner:
            optimizer.follow(number + 1)
        if (samples := (number + 1) * INNER_STEPS * STEP_SAMPLES) in due:
            yield samples


def _optimizer(trial: Trial, model: nn.Module) -> Callable[[Any], torch.optim.Optimizer]:
    return make_optimizer(optimizer_of(trial), hidden_matrices=hidden_matrices(model))


def _rounds(trial: Trial) -> Callable[[Any], Any] | None:
    """The inner schedule: a cosine over rounds; the ramp of the first steps is InnerOptimizer's own."""
    return make_scheduler(SchedulerSpec(kind="cosine", total_epochs=trial.rounds))


def _schedule(optimizer: Any, warm_up: int, steps: int) -> Any:
    """A cosine over steps, after a warm-up."""
    factory = make_scheduler(SchedulerSpec(kind="cosine", warmup_epochs=warm_up, total_epochs=steps))
    assert factory is not None
    return factory(optimizer)


def looked_at(trial: Trial) -> list[int]:
    """After how many samples the model is looked at, which is the end of a round; the last is the end."""
    rounds = [*range(EVALUATED_EVERY, trial.rounds, EVALUATED_EVERY), trial.rounds]
    return [number * INNER_STEPS * STEP_SAMPLES for number in rounds]


def loss_of(model: nn.Module, samples: Tensor) -> Tensor:
    """The mean cross-entropy of the bytes of samples but their first, in nats; computed in float32."""
    logits = model(input_ids=samples).logits
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), samples[:, 1:].flatten())


def held_out_loss(model: nn.Module, samples: Tensor) -> float:
    """The mean loss of samples on which nobody trains."""
    model.eval()
    with torch.no_grad():
        pieces = torch.split(samples, EVALUATED_AT_ONCE)
        total = sum(float(loss_of(model, piece)) * len(piece) for piece in pieces)
    model.train()
    return total / len(samples)


def simulated(wanted: Iterable[Trial], file: Path | None) -> list[Result]:
    """The result of each of those trials; what is in that file is taken from there, and what is not is added to it."""
    torch.set_num_threads(1)
    known = {each.trial: each for each in read_results(file)} if file else {}
    results = list[Result]()
    for trial in wanted:
        result = known.get(trial) or Result(trial, simulate(trial))
        if file and trial not in known:
            add_result(file, result)
        print(f"{trial}: {result.curve.last:.4f}", flush=True)
        results.append(result)
    return results
