"""What a run is said to need is what it needs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import torch

from core.hardware.fit import disk_needed
from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.run_file import load_run_file, parse_run_file, template
from core.run.run_file_lint import lint
from core.run.spec.collaboration import Collaboration
from core.run.spec.data import SumsData, TextFiles
from core.run.spec.optimizer import AdamW8bit
from core.run.spec.recipe import ArithmeticGPT
from core.worker.recipes.arithmetic_gpt import ArithmeticRecipe
from tests.support.checkout import ROOT

EXAMPLES = ROOT / "examples"


def manifest_with(
    recipe: ArithmeticGPT, digits: int = 2, **collaboration: bool | int | str | tuple[str, ...]
) -> RunManifest:
    """The template with another model and other ways to work together."""
    template_run = parse_run_file(template())
    together = msgspec.structs.replace(template_run.collaboration, **collaboration)
    data = SumsData(digits=digits)
    return msgspec.structs.replace(template_run, recipe=recipe, data=data, collaboration=together)


@pytest.mark.parametrize(
    ("recipe", "digits"),
    [
        (ArithmeticGPT(), 2),
        (ArithmeticGPT(layers=1, width=16, heads=1), 1),
        (ArithmeticGPT(layers=3, width=96, heads=6), 6),
        (ArithmeticGPT(layers=5, width=64, heads=64, dropout=0.5), 3),
    ],
)
def test_the_parameters_are_the_models(recipe: ArithmeticGPT, digits: int) -> None:
    built = ArithmeticRecipe(recipe, SumsData(digits=digits), seed=1, device=torch.device("cpu"))
    parameters = sum(parameter.numel() for parameter in built.model.parameters())
    assert estimate_requirements(manifest_with(recipe, digits)).parameters == parameters


def test_a_download_is_the_parameters_and_the_optimizers_state() -> None:
    needs = estimate_requirements(manifest_with(ArithmeticGPT()))
    assert needs.download_bytes == 12 * needs.parameters
    lean = estimate_requirements(manifest_with(ArithmeticGPT(), load_state_compression="float16"))
    assert lean.download_bytes == 10 * needs.parameters


def test_less_is_sent_in_float16_and_by_averaging_less_often() -> None:
    exact = estimate_requirements(manifest_with(ArithmeticGPT()))
    assert exact.traffic_bytes == 2 * (4 + 4) * exact.parameters
    lean = estimate_requirements(
        manifest_with(
            ArithmeticGPT(),
            grad_compression="float16",
            state_averaging_compression="float16",
            average_state_every=2,
        )
    )
    assert lean.traffic_bytes == 2 * (2 + 1) * exact.parameters
    more = estimate_requirements(manifest_with(ArithmeticGPT(), average_opt_statistics=("exp_avg_sq",)))
    assert more.traffic_bytes == 2 * (4 + 8) * exact.parameters


def test_an_optimizer_that_is_not_offloaded_needs_room_on_the_device() -> None:
    offloaded = estimate_requirements(manifest_with(ArithmeticGPT()))
    on_device = estimate_requirements(
        manifest_with(
            ArithmeticGPT(),
            offload_optimizer=False,
            delay_optimizer_step=False,
            delay_grad_averaging=False,
            delay_state_averaging=False,
        )
    )
    assert on_device.device_memory_bytes - offloaded.device_memory_bytes == 8 * offloaded.parameters


def test_backward_keeps_about_what_is_estimated() -> None:
    """Within a factor of two of what autograd really saves for the template's micro-batch."""
    manifest = manifest_with(ArithmeticGPT())
    recipe = ArithmeticRecipe(ArithmeticGPT(), SumsData(), seed=1, device=torch.device("cpu"))
    saved: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        saved[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    batch = recipe.draw(manifest.collaboration.sure_batch_size)
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        loss = recipe.loss(batch)
    needs = estimate_requirements(manifest)
    estimated = needs.device_memory_bytes - 8 * needs.parameters
    assert loss.requires_grad and 0.5 < sum(saved.values()) / estimated < 2


def test_statistics_in_8_bits_are_a_quarter() -> None:
    alone = {"offload_optimizer": False, "delay_optimizer_step": False, "delay_grad_averaging": False}
    exact = manifest_with(ArithmeticGPT(), **alone)
    eight = msgspec.structs.replace(exact, optimizer=AdamW8bit())
    parameters = estimate_requirements(exact).parameters
    for name in ("download_bytes", "device_memory_bytes"):
        saved = getattr(estimate_requirements(exact), name) - getattr(estimate_requirements(eight), name)
        assert saved / parameters == pytest.approx(6, abs=0.1)


def test_files_are_fetched_once_and_only_adapters_are_sent() -> None:
    manifest = load_run_file(EXAMPLES / "lora.toml")
    needs = estimate_requirements(manifest)
    assert isinstance(manifest.data, TextFiles)
    assert needs.fetched_bytes == 4 * (needs.parameters - needs.trained_parameters) + manifest.data.size_bytes
    assert needs.trained_parameters < needs.parameters / 100
    assert needs.download_bytes == 10 * needs.trained_parameters
    assert disk_needed(manifest) == needs.fetched_bytes


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_an_example_is_right_and_gives_no_hints_but_of_what_an_organiser_must_have(example: Path) -> None:
    needed = {"moe-lm": "fast lines", "home-gpt2-small": "publish --mirror"}.get(example.stem)
    hints = lint(load_run_file(example))
    assert len(hints) == (needed is not None)
    assert all(needed and needed in hint for hint in hints)


def test_the_largest_model_that_a_manifest_may_ask_for_has_finite_needs() -> None:
    largest = ArithmeticGPT(layers=24, width=2048, heads=64)
    together = Collaboration(target_batch_size=100_000_000, batch_size_per_step=1_000_000)
    manifest = msgspec.structs.replace(manifest_with(largest, digits=6), collaboration=together)
    assert estimate_requirements(manifest).host_memory_bytes > 30e9
