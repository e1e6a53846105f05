"""A language model with experts: its trunk is counted, the same on every peer, and learns with its experts."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from core.run.manifest import RunInfo, RunManifest
from core.run.spec.collaboration import Collaboration
from core.run.spec.data import HubDataset, SumsData
from core.run.spec.experts import ExpertsSpec
from core.run.spec.language_models import GPT2, ExpertConfig, GPTNeoX, Llama, Qwen2
from core.run.spec.recipe import MoeLM
from core.run.spec.recipe_cost import size_of
from core.worker.experts.block import ExpertId
from core.worker.experts.calls import LocalExperts
from core.worker.recipes import Batch, MixtureLanguageModel, build_synthetic
from core.worker.recipes.mixture_model import MixtureModel, experts_in, fill, remote_model, whole_model
from tests.worker.experts.test_mixture import HostsWithoutNetwork

CPU = torch.device("cpu")
NUMBERS: dict[str, Any] = {
    "vocab_size": 300,
    "hidden_size": 16,
    "num_hidden_layers": 4,
    "num_attention_heads": 2,
    "max_position_embeddings": 32,
    "intermediate_size": 16,
}
FAMILIES: list[ExpertConfig] = [family(**NUMBERS) for family in (GPT2, Llama, Qwen2, GPTNeoX)]


def spec_of(config: ExpertConfig = FAMILIES[0], **numbers: Any) -> MoeLM:
    """Four experts in every second layer, if nothing else is said."""
    experts = ExpertsSpec(**{"experts": 4, "expansion": 2, "capacity_factor": 4.0, **numbers})
    return MoeLM(config=config, sequence_length=16, experts=experts)


def recipe_of(spec: MoeLM) -> MixtureLanguageModel:
    """That of a dry run: on noise, without any host."""
    data = HubDataset(repository="somebody/texts", revision="0" * 40)
    info, together = RunInfo(id="words", name="Words"), Collaboration(target_batch_size=100)
    recipe = build_synthetic(RunManifest(run=info, recipe=spec, data=data, collaboration=together), CPU)
    assert isinstance(recipe, MixtureLanguageModel)
    return recipe


@pytest.mark.parametrize("config", FAMILIES, ids=lambda config: type(config).__name__)
def test_the_trunk_has_the_parameters_that_are_counted_and_all_of_them_get_a_gradient(config: ExpertConfig) -> None:
    spec = spec_of(config)
    recipe, size = recipe_of(spec), size_of(spec, SumsData())
    assert size.trained == sum(each.numel() for each in recipe.model.parameters())
    assert size.experts is not None
    whole = sum(each.numel() for each in whole_model(spec).model.parameters())
    assert whole - size.trained == size.experts.count * size.experts.parameters
    assert recipe.backward(recipe.loss(recipe.draw(4)))
    assert all(each.grad is not None for each in recipe.model.parameters())


def test_a_dry_run_sends_as_many_tokens_as_are_estimated() -> None:
    spec = spec_of()
    recipe, size = recipe_of(spec), size_of(spec, SumsData())
    recipe.loss(recipe.draw(4))
    assert size.experts is not None
    tokens = 15  # of 16, all but the last are inputs
    assert recipe.routed().sent * NUMBERS["hidden_size"] * 3 == size.experts.sent_floats * 4 * tokens // 16


def test_trunk_and_router_are_the_same_on_every_peer() -> None:
    def weights(seed: int) -> dict[str, torch.Tensor]:
        torch.manual_seed(seed)
        return recipe_of(spec_of()).model.state_dict()

    one, other = weights(1), weights(2)
    assert any("router" in name for name in one)
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_a_whole_model_filled_from_trunk_and_hosts_computes_the_same() -> None:
    spec = spec_of(every_layers=4)
    recipe, hosts = recipe_of(spec), HostsOfLayer(spec)
    recipe.connect(hosts)
    whole = whole_model(spec)
    tokens = torch.randint(300, (3, 16))
    states = {each: hosts.experts[each.number].state() for each in experts_in(spec)}
    fill(whole, recipe.model.state_dict(), states)
    assert logits(whole, tokens).allclose(logits(remote_model(spec, hosts), tokens), atol=1e-5)
    assert isinstance(whole.mixtures[3].experts, LocalExperts) and list(states) == [ExpertId(3, n) for n in range(4)]


@torch.no_grad()
def test_the_load_balancing_loss_counts_for_so_much_as_the_run_says() -> None:
    """Of equal models on one batch."""
    losses = dict[float, torch.Tensor]()
    for share in (0.0, 0.5):
        recipe = recipe_of(spec_of(load_balancing=share))
        torch.manual_seed(3)
        losses[share] = recipe.loss(Batch(torch.randint(300, (2, 15)), torch.randint(300, (2, 15))))
        balance = torch.stack([each.load_balancing_loss for each in recipe._mixture.mixtures.values()]).sum()
    assert float(balance) > 0
    torch.testing.assert_close(losses[0.5] - losses[0.0], 0.5 * balance, rtol=1e-4, atol=1e-5)


class HostsOfLayer(HostsWithoutNetwork):
    """Those of the last of four layers."""

    layer = 3
    hidden_size = NUMBERS["hidden_size"]

    def __init__(self, spec: MoeLM) -> None:
        super().__init__(spec.experts)


def logits(model: MixtureModel, tokens: torch.Tensor) -> torch.Tensor:
    """What the model predicts, with no dropout."""
    with torch.inference_mode():
        found: torch.Tensor = model.model.eval()(input_ids=tokens).logits
    return found
