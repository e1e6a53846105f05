"""A dry run finds the micro-batch to train with: the run's own or the fastest, as far as there is memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from torch import Tensor

from core.errors import ErrorKind, UserError
from core.protocol.commands import DryRun, Leave
from core.protocol.events import Failed, FitMeasured, Progress, RoundFinished, RunFound
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.run_file import load_run_file
from core.run.spec.collaboration import Collaboration
from core.run.spec.data import HubImages, SumsData, TextFiles
from core.run.spec.recipe import ArithmeticGPT, CausalLM, Quantization
from core.worker.compute.memory_errors import named_out_of_memory
from core.worker.compute.memory_meter import memory_meter_for
from core.worker.recipes import build, build_synthetic
from core.worker.recipes.recipe import Batch
from core.worker.training.micro_batch_benchmark import MicroBatchBenchmark, repeat_sample
from core.worker.training.micro_batch_search import (
    Bounds,
    Measured,
    find_micro_batch,
    initial_micro_batch,
    sizes_to_try,
)
from tests.support.checkout import ROOT
from tests.support.consents import consent_to
from tests.support.real_peers import Peer, PeerGroup, averaged, tiny

EXAMPLES = ROOT / "examples"
CPU = torch.device("cpu")
MODEL_BYTES, SAMPLE_BYTES = 1000, 100


class PeerInfo:
    """Stands for a GPU: so much memory in all, a fixed cost for each step, and a speed at which it is full.

    ``tried`` are the sizes that it was asked for. Others may use it, which nobody sees beforehand.
    """

    def __init__(self, memory_bytes: int, full_at: int = 16, used_by_others: int = 0) -> None:
        self.memory_bytes, self.full_at, self.used_by_others = memory_bytes, full_at, used_by_others
        self.tried = list[int]()

    def measure(self, size: int) -> Measured:
        """As a dry run measures; raises what torch raises where memory ends."""
        self.tried.append(size)
        taken = MODEL_BYTES + SAMPLE_BYTES * size
        if taken > self.memory_bytes - self.used_by_others:
            raise torch.OutOfMemoryError("no room")
        return Measured(size, taken, seconds=0.001 * max(size, self.full_at))

    def best(self, batch_size: int | None, seconds: float = 60.0, **limits: int) -> Measured | None:
        """What is found there for a run that names that micro-batch, or none."""
        bounds = {"memory_bytes": self.memory_bytes, "max_bytes": self.memory_bytes} | limits
        together = Collaboration(target_batch_size=100_000, batch_size_per_step=batch_size)
        return find_micro_batch(together, self.measure, Bounds(baseline_bytes=MODEL_BYTES, seconds=seconds, **bounds))


def size(found: Measured | None) -> int:
    return 0 if found is None else found.size


def test_the_runs_own_micro_batch_is_taken_where_it_fits_and_halved_where_not() -> None:
    assert size(PeerInfo(10**6).best(48)) == 48
    assert size(PeerInfo(MODEL_BYTES + 47 * SAMPLE_BYTES).best(48)) == 24
    assert size(PeerInfo(MODEL_BYTES + 3 * SAMPLE_BYTES).best(48)) == 3
    assert size(PeerInfo(MODEL_BYTES + 2 * SAMPLE_BYTES).best(48)) == 1
    assert PeerInfo(MODEL_BYTES).best(48) is None


def test_without_one_the_smallest_of_the_fastest_is_taken() -> None:
    card = PeerInfo(10**6, full_at=16)
    assert size(card.best(None)) == 16
    assert card.tried == [1, 2, 4, 8, 16, 32, 64]  # two larger ones that were not faster
    assert size(PeerInfo(MODEL_BYTES + 9 * SAMPLE_BYTES, full_at=16).best(None)) == 8


def test_what_would_not_fit_is_not_even_tried() -> None:
    card = PeerInfo(MODEL_BYTES + 5 * SAMPLE_BYTES)
    assert size(card.best(None)) == 4
    assert card.tried == [1, 2, 4]


def test_what_nobody_foresaw_ends_the_climb() -> None:
    card = PeerInfo(10**6, used_by_others=10**6 - MODEL_BYTES - 5 * SAMPLE_BYTES)
    assert size(card.best(32)) == 4
    assert card.tried == [1, 2, 4, 8]


def test_a_persons_limit_counts_although_there_is_more() -> None:
    limit = MODEL_BYTES + 8 * SAMPLE_BYTES
    assert size(PeerInfo(10**6).best(64, memory_bytes=limit, max_bytes=limit)) == 8
    assert PeerInfo(10**6).best(64, memory_bytes=MODEL_BYTES, max_bytes=MODEL_BYTES) is None


def test_one_sample_may_take_what_more_must_leave_free() -> None:
    room = {"memory_bytes": MODEL_BYTES, "max_bytes": MODEL_BYTES + SAMPLE_BYTES}
    assert size(PeerInfo(10**6).best(64, **room)) == 1


def test_what_there_is_no_time_to_try_is_reckoned() -> None:
    card = PeerInfo(MODEL_BYTES + 100 * SAMPLE_BYTES, full_at=1)
    found = card.best(256, seconds=0.0)
    assert card.tried == [1]
    assert found == Measured(64, MODEL_BYTES + 64 * SAMPLE_BYTES, 64 * 0.001)
    assert size(card.best(None, seconds=0.0)) == 1  # whether more would be faster is not known


def test_nobody_waits_long_for_a_micro_batch() -> None:
    slow = PeerInfo(10**6, full_at=1)
    slow.full_at = 0
    found = find_micro_batch(
        Collaboration(target_batch_size=100_000),
        lambda samples: replace(slow.measure(samples), seconds=0.2 + 0.1 * samples),
        Bounds(10**6, 10**6, MODEL_BYTES, 60.0),
    )
    assert found is not None and found.seconds <= 1.0
    assert slow.tried == [1, 2, 4]


@pytest.mark.parametrize(
    ("target", "named", "sizes"),
    [
        (32768, 12, (1, 3, 6, 12)),
        (100, 1, (1,)),
        (10, None, (1,)),
        (100, None, (1, 2, 4)),
        (10**8, None, tuple(1 << power for power in range(13))),
    ],
)
def test_sizes_are_those_that_running_out_of_memory_leads_through(
    target: int, named: int | None, sizes: tuple[int, ...]
) -> None:
    assert sizes_to_try(Collaboration(target_batch_size=target, batch_size_per_step=named)) == sizes


@pytest.mark.parametrize(
    ("of_run", "of_dry_run", "chosen"),
    [(8, None, 8), (8, 4, 4), (8, 64, 8), (None, 64, 64), (None, None, None)],
)
def test_a_dry_run_never_exceeds_what_the_run_says(
    of_run: int | None, of_dry_run: int | None, chosen: int | None
) -> None:
    assert initial_micro_batch(of_run, of_dry_run) == chosen


def test_a_cpu_without_memory_says_so_by_the_same_name() -> None:
    with pytest.raises(torch.OutOfMemoryError), named_out_of_memory():
        torch.empty(1 << 60, dtype=torch.uint8)
    with pytest.raises(RuntimeError, match="shape"), named_out_of_memory():
        torch.zeros(2) @ torch.zeros(3, 3)


# On this computer's CPU


def sums(batch_size: int | None = None) -> RunManifest:
    return tiny(batch_size_per_step=batch_size)


def dry_run(manifest: RunManifest, **changes: Any) -> MicroBatchBenchmark:
    meter = memory_meter_for(CPU)
    recipe = build_synthetic(manifest, CPU)
    told: dict[str, Any] = {"draw": recipe.draw, "check": lambda: None, "seconds": 3.0} | changes
    return MicroBatchBenchmark(manifest=manifest, recipe=recipe, device=CPU, meter=meter, **told)


def test_a_cpu_is_measured_and_the_model_stays_as_it_was() -> None:
    manifest = sums(8)
    run = dry_run(manifest, draw=repeat_sample(build_synthetic(manifest, CPU).draw(1)))
    before = {name: value.clone() for name, value in run.recipe.model.state_dict().items()}
    fit = run.measure()
    assert (fit.device, fit.micro_batch) == ("cpu", 8)
    assert fit.samples_per_second is not None and fit.samples_per_second > 0
    assert estimate_requirements(manifest).host_memory_bytes <= fit.memory_bytes < 2**33
    after = run.recipe.model.state_dict()
    assert all(torch.equal(value, after[name]) for name, value in before.items())
    assert all(parameter.grad is None for parameter in run.recipe.model.parameters())


class Counting(torch.nn.Module):
    """A model that remembers how often it was used, as batch normalisation does."""

    uses: Tensor

    def __init__(self, inner: torch.nn.Module) -> None:
        super().__init__()
        self.inner = inner
        self.register_buffer("uses", torch.zeros(()))

    def forward(self, tokens: Tensor) -> Tensor:
        self.uses += 1
        answer: Tensor = self.inner(tokens)
        return answer


def test_what_a_model_has_noticed_meanwhile_is_forgotten() -> None:
    run = dry_run(sums(2))
    recipe: Any = run.recipe
    recipe.model = Counting(recipe.model)
    assert run.measure().micro_batch == 2
    assert recipe.model.uses == 0


def test_it_ends_between_micro_batches_when_somebody_wants_it_to() -> None:
    calls = list[int]()

    def check() -> None:
        calls.append(1)
        if len(calls) == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        dry_run(sums(4), check=check, seconds=600.0).measure()
    assert len(calls) == 2


def test_a_limit_that_the_rest_of_training_takes_leaves_no_room() -> None:
    manifest = sums()
    nothing = dry_run(manifest, memory_limit_bytes=estimate_requirements(manifest).host_memory_bytes // 2)
    assert nothing.measure() == FitMeasured(device="cpu", micro_batch=0)


def test_one_sample_stands_for_many() -> None:
    sample = Batch(torch.tensor([[1, 2, 3]]), torch.tensor([7]))
    batch = repeat_sample(sample)(4)
    assert batch.inputs.tolist() == [[1, 2, 3]] * 4 and batch.targets.tolist() == [7] * 4


# Without downloads


def language_model(**changes: Any) -> RunManifest:
    """An example whose model is pretrained and whose text is on a server that nobody asks."""
    manifest = load_run_file(EXAMPLES / "lora.toml")
    assert isinstance(manifest.recipe, CausalLM)
    numbers = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": 258}
    config: Any = msgspec.structs.replace(manifest.recipe.config, **numbers)
    recipe = msgspec.structs.replace(manifest.recipe, config=config, sequence_length=16, **changes)
    return msgspec.structs.replace(manifest, recipe=recipe)


@pytest.mark.slow
def test_a_pretrained_model_is_measured_without_its_weights_and_text() -> None:
    manifest = language_model()
    assert not isinstance(manifest.data, SumsData)
    assert dry_run(manifest).measure().micro_batch == manifest.collaboration.batch_size_per_step


def test_a_masked_model_hides_tokens_that_mean_nothing() -> None:
    manifest = load_run_file(EXAMPLES / "masked-lm.toml")
    assert isinstance(manifest.data, TextFiles)
    assert dry_run(manifest, seconds=0.5).measure().micro_batch > 0


def test_an_image_model_looks_at_noise() -> None:
    manifest = load_run_file(EXAMPLES / "vit-from-scratch.toml")
    assert isinstance(manifest.data, HubImages)
    assert dry_run(manifest, seconds=0.5).measure().micro_batch > 0


def test_what_only_the_weights_could_tell_is_said_to_be_unknown() -> None:
    with pytest.raises(UserError) as told:
        build_synthetic(language_model(quantization=Quantization(kind="nf4")), CPU)
    assert told.value.problem is ErrorKind.FIT_UNKNOWN


# A worker's life


def rehearsed(home: Path, manifest: RunManifest, limit_bytes: int | None = None) -> FitMeasured:
    """What a worker of its own has found; nothing of it is left."""
    peer = Peer(home)
    try:
        peer.send(DryRun(manifest=manifest, device="cpu", threads=1, memory_limit_bytes=limit_bytes))
        fit = peer.wait_for(FitMeasured)
        assert peer.ended() == 0 and peer.family == []
        return fit
    finally:
        peer.end()


@pytest.mark.slow
def test_a_worker_measures_says_so_and_ends_and_a_limit_leaves_it_fewer_samples(tmp_path: Path) -> None:
    manifest = msgspec.structs.replace(sums(2048), recipe=ArithmeticGPT(layers=1, width=128, heads=2))
    whole, host = rehearsed(tmp_path, manifest), estimate_requirements(manifest).host_memory_bytes
    assert whole.micro_batch == 2048 and whole.samples_per_second is not None
    limit = host + (whole.memory_bytes - host) * 3 // 4
    limit_evaluation = rehearsed(tmp_path, manifest, limit)
    assert 0 < limit_evaluation.micro_batch < 2048 and limit_evaluation.memory_bytes <= limit


def test_a_worker_that_is_told_to_leave_does_not_finish_first(tmp_path: Path) -> None:
    peer = Peer(tmp_path)
    huge = msgspec.structs.replace(sums(2048), recipe=ArithmeticGPT(layers=8, width=1024, heads=8))
    try:
        peer.send(DryRun(manifest=huge, device="cpu", threads=1))
        peer.send(Leave())
        assert peer.ended() == 0
        assert peer.all(FitMeasured) == [] and peer.all(Failed) == []
    finally:
        peer.end()


def test_a_gpu_that_is_not_there_is_named(tmp_path: Path) -> None:
    if torch.cuda.device_count() > 9:
        pytest.skip("this computer has ten GPUs")
    peer = Peer(tmp_path)
    try:
        peer.send(DryRun(manifest=sums(4), device="cuda:9"))
        assert peer.wait_for(Failed).problem == ErrorKind.NO_SUCH_DEVICE.key
    finally:
        peer.end()


@pytest.mark.real
@pytest.mark.timeout(600)
def test_a_run_that_leaves_it_to_each_computer_is_trained_with_what_was_found(group: PeerGroup) -> None:
    left_to_each = tiny(batch_size_per_step=None, target_batch_size=6000)  # ten seconds for the two
    organiser = group.organiser(manifest=left_to_each)
    own = organiser.wait_for(FitMeasured).micro_batch
    seeker = group.seeker(organiser.posted, "volunteer")
    found = seeker.wait_for(RunFound)
    seeker.send(consent_to(found, micro_batch=4))
    organiser.wait_for(RoundFinished, averaged)
    assert own in sizes_to_try(left_to_each.collaboration)
    assert seeker.all(FitMeasured) == []  # it was told, and need not look
    assert all(each.contributed_samples % 4 == 0 for each in seeker.all(Progress))
    assert all(each.contributed_samples % own == 0 for each in organiser.all(Progress))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
def test_on_a_gpu_what_is_found_fits_and_four_times_as_much_does_not() -> None:
    device, limit = torch.device("cuda:0"), 3_000_000_000
    total = torch.cuda.get_device_properties(device).total_memory
    large = tiny(batch_size_per_step=1 << 19, target_batch_size=1 << 20)
    manifest = msgspec.structs.replace(large, recipe=ArithmeticGPT(layers=4, width=256, heads=4))
    torch.cuda.set_per_process_memory_fraction((limit - 500_000_000) / total, device)
    try:
        meter, recipe = memory_meter_for(device), build(manifest, seed=1, device=device)
        where: dict[str, Any] = {"device": device, "meter": meter, "memory_limit_bytes": limit}
        run = MicroBatchBenchmark(manifest=manifest, recipe=recipe, draw=recipe.draw, check=lambda: None, **where)
        fit = run.measure()
        recipe.backward(recipe.loss(recipe.draw(fit.micro_batch)))
        with pytest.raises(torch.OutOfMemoryError):
            recipe.backward(recipe.loss(recipe.draw(4 * fit.micro_batch)))
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, device)
