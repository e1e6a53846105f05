"""Local SGD with every recipe and every precision: two real peers learn, and share the same numbers to the last bit."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.spec.optimizer import Muon
from core.run.spec.recipe import Lora
from tests.support.environment.fake_hub import Hub, local_hub
from tests.support.learning.asked_rows import rows_asked_for, seldom_but
from tests.support.learning.recipes import image_model, language_model, masked_model
from tests.support.peers.learning_rows import Member, Outcome, Row, learn, local_sgd_run
from tests.support.real_peers import peer_group

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

EPOCHS = 4
SIDE_BY_SIDE = 3
LEARNED = {
    "causal-lm": 0.8,
    "muon": 0.8,
    "adapters": 0.98,
    "masked-lm": 0.9,
    "image-classification": 0.8,
    "three precisions": 0.8,
}
"""Of the untrained loss is left at the most; adapters to a model that knows nothing learn hardly more than nothing."""
OFTEN = {"adapters", "image-classification", "three precisions"}  # the others are marked `faults`


def runs(hub: Hub) -> dict[str, RunManifest]:
    """One of each recipe, and one with another optimizer."""
    causal = language_model(local_sgd_run(), hub, 5e-3)
    return {
        "causal-lm": causal,
        "muon": msgspec.structs.replace(causal, optimizer=Muon(learning_rate=1e-2)),
        "adapters": language_model(local_sgd_run(), hub, 1e-2, lora=Lora(rank=2, alpha=8.0)),
        "masked-lm": masked_model(local_sgd_run(), hub, 5e-3),
        "image-classification": image_model(local_sgd_run(), hub, 2e-3),
    }


def rows(hub: Hub) -> Iterator[Row]:
    """Two members for each recipe, and one for each precision."""
    for name, run in runs(hub).items():
        yield Row(name=name, members=(Member(manifest=run), Member(manifest=run, mode="client")), epochs=EPOCHS)
    three = local_sgd_run(target_batch_size=960)  # as many steps of each as for two
    exact, *others = (language_model(three, hub, 5e-3, precision=precision) for precision in ("fp32", "bf16", "fp16"))
    members = Member(manifest=exact), *(Member(manifest=other, mode="client") for other in others)
    yield Row(name="three precisions", members=members, epochs=EPOCHS)


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """What came of the rows that are asked for."""
    with local_hub() as hub, peer_group(tmp_path_factory.mktemp("recipes")) as hired:
        return learn(hired, rows_asked_for(request, rows(hub)), SIDE_BY_SIDE)


@pytest.mark.parametrize("name", seldom_but(OFTEN, LEARNED))
def test_all_learn_and_have_the_same_base_weights(outcomes: dict[str, Outcome], name: str) -> None:
    outcome = outcomes[name]
    assert outcome.failures == []
    assert outcome.distance == 0.0, outcome.rounds
    members = range(len(outcome.losses))
    assert all(outcome.remaining_loss(member) < LEARNED[name] for member in members), outcome.losses


@pytest.mark.parametrize("name", seldom_but(OFTEN, runs(Hub())))
def test_what_is_trained_is_exchanged_in_a_byte_each_and_nothing_else_is(
    outcomes: dict[str, Outcome], name: str
) -> None:
    needs = estimate_requirements(runs(Hub())[name])
    assert outcomes[name].shared_numbers == needs.trained_parameters
    assert outcomes[name].round_bytes == pytest.approx(needs.traffic_bytes / 2, rel=0.02)  # there, and back again


def test_of_a_model_with_adapters_only_the_adapters_are_exchanged() -> None:
    needs = estimate_requirements(runs(Hub())["adapters"])
    assert needs.trained_parameters < needs.parameters / 4
