"""Peers with different versions of PyTorch learn together in both modes, as owners of old and of new GPUs do.

`python -m tests.integration.torch_versions` makes the other environments; `WORKERBEE_OTHER_PYTHONS` names their
Pythons, with a colon between two. Without it these tests are skipped, as such an environment is gigabytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from core.run.manifest import RunManifest
from core.run.spec.recipe import Lora
from tests.support.environment.fake_hub import Hub, local_hub
from tests.support.learning.asked_rows import rows_asked_for
from tests.support.learning.recipes import image_model, language_model, masked_model
from tests.support.peers.learning_rows import AGREED, Member, Outcome, Row, learn, local_sgd_run, small_run
from tests.support.real_peers import peer_group

OTHERS = tuple(filter(None, os.environ.get("WORKERBEE_OTHER_PYTHONS", "").split(":")))
pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(
        not OTHERS,
        reason="WORKERBEE_OTHER_PYTHONS names no Python with another PyTorch; `python -m "
        "tests.integration.torch_versions cuda128 FOLDER` makes one (4.4 GB to download)",
    ),
]

EPOCHS = {"gradients": 9, "local-sgd": 4}
SIDE_BY_SIDE = 2
LIMIT_SECONDS = 1400.0  # for all rows together
LEARNED = {
    "sums, gradients": 0.85,
    "sums, local-sgd": 0.85,
    "language model, gradients": 0.8,
    "language model, local-sgd": 0.8,
    "adapters, local-sgd": 0.98,
    "masked language model, gradients": 0.9,
    "images, local-sgd": 0.8,
}
"""Of the untrained loss is left at the most; adapters to a model that knows nothing learn hardly more than nothing."""


def runs(hub: Hub) -> dict[str, RunManifest]:
    """Each recipe, and both modes."""
    together = {"target_batch_size": 320 * (1 + len(OTHERS))}  # as many steps of each as for two
    gradients, local_sgd = small_run(**together), local_sgd_run(**together)
    return {
        "sums, gradients": gradients,
        "sums, local-sgd": local_sgd,
        "language model, gradients": language_model(gradients, hub, 7e-3),
        "language model, local-sgd": language_model(local_sgd, hub, 5e-3),
        "adapters, local-sgd": language_model(local_sgd, hub, 1e-2, lora=Lora(rank=2, alpha=8.0)),
        "masked language model, gradients": masked_model(gradients, hub, 5e-3),
        "images, local-sgd": image_model(local_sgd, hub, 2e-3),
    }


def rows(hub: Hub) -> Iterator[Row]:
    """An organiser with the PyTorch of the tests, and a member with each of the others."""
    for name, run in runs(hub).items():
        others = (Member(manifest=run, mode="client", python=python) for python in OTHERS)
        yield Row(name=name, members=(Member(manifest=run), *others), epochs=EPOCHS[run.collaboration.mode])


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """What came of the rows that are asked for."""
    with local_hub() as hub, peer_group(tmp_path_factory.mktemp("torch-versions")) as hired:
        return learn(hired, rows_asked_for(request, rows(hub)), SIDE_BY_SIDE, LIMIT_SECONDS)


@pytest.mark.parametrize("name", LEARNED)
def test_peers_with_different_versions_of_torch_learn_and_agree(outcomes: dict[str, Outcome], name: str) -> None:
    """With local SGD they have the same base weights to the last bit, with gradients nearly so."""
    outcome = outcomes[name]
    shares = [outcome.remaining_loss(member) for member in range(1 + len(OTHERS))]
    print(f"{name}: PyTorch {outcome.torch}, loss ÷ untrained {shares}, apart by {outcome.distance}")
    assert outcome.failures == []
    assert len(set(outcome.torch)) == 1 + len(OTHERS), outcome.torch
    assert max(shares) < LEARNED[name], outcome.losses
    assert outcome.distance is not None, outcome.rounds
    assert outcome.distance <= (0.0 if "local-sgd" in name else AGREED), outcome.rounds
