"""Local SGD between real peers: all learn, and their base weights are equal to the last bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.protocol.codec import decode_event
from core.protocol.events import Evaluated
from core.run.manifest import RunManifest
from core.run.spec.optimizer import AdamW
from tests.support.peers.learning_rows import Member, Outcome, Row, learn, small_run
from tests.support.real_peers import peer_group

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

EPOCHS = 7
LEARNED = 0.7  # of the untrained loss is left at the most
SIDE_BY_SIDE = 2


def local_sgd(**collaboration: Any) -> RunManifest:
    """Sums of one digit; a round is twenty steps of each of two members."""
    run = small_run(mode="local-sgd", **collaboration)
    return msgspec.structs.replace(run, optimizer=AdamW(learning_rate=1e-3))


def rows() -> tuple[Row, ...]:
    """A keeper with a client and a newcomer; one whose base weights differ; two who train during the exchange."""
    plain, overlapped = local_sgd(), local_sgd(overlap="delayed", delta_codec="int4")
    keeper, client = Member(manifest=plain, keeps=True), Member(manifest=plain, mode="client")
    late = Member(manifest=plain, mode="client", late=True)
    differing = Member(manifest=plain, mode="client", diverges_at=3)
    pair = Member(manifest=overlapped), Member(manifest=overlapped, mode="client")
    return (
        Row(name="keeper, client and newcomer", members=(keeper, client, late), epochs=EPOCHS),
        Row(name="keeper and one who differs", members=(keeper, differing), epochs=EPOCHS),
        Row(name="overlapped, in 4 bits", members=pair, epochs=EPOCHS),
    )


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """What came of every row."""
    with peer_group(tmp_path_factory.mktemp("local-sgd")) as hired:
        return learn(hired, rows(), SIDE_BY_SIDE)


@pytest.mark.parametrize("name", [row.name for row in rows()])
def test_all_learn_and_have_the_same_base_weights(outcomes: dict[str, Outcome], name: str) -> None:
    outcome = outcomes[name]
    assert outcome.failures == []
    assert outcome.distance == 0.0, outcome.rounds
    assert all(outcome.remaining_loss(member) < LEARNED for member in range(len(outcome.losses))), outcome.losses


def test_the_demo_learns_in_one_round_what_takes_many_epochs_of_gradients(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "core.cli", "demo", "--mode", "local-sgd", "--epochs", "1", "--json"]
    home = os.environ | {"WORKERBEE_HOME": str(tmp_path)}
    said = subprocess.run(words, env=home, stdout=subprocess.PIPE, timeout=600, check=True).stdout
    evaluated = [event for event in map(decode_event, said.splitlines()) if isinstance(event, Evaluated)]
    assert evaluated[-1].loss is not None and evaluated[-1].loss < 1.0  # 3.3 at first, 2.9 after an epoch of gradients
