"""Honest peers that differ in all that home computers differ in are never taken for liars."""

from __future__ import annotations

import msgspec
import pytest

from core.run.manifest import RunManifest
from tests.support.environment.fake_hub import local_hub
from tests.support.learning.recipes import language_model
from tests.support.peers.learning_rows import Member, Outcome, Row, learn, small_run
from tests.support.real_peers import peer_group

pytestmark = [pytest.mark.real, pytest.mark.faults, pytest.mark.timeout(2400)]

ROUNDS = 200
LIMIT_SECONDS = 2000.0
USUAL, FAST, SLOW = 60.0, 300.0, 6.0  # samples per second


def with_micro_batch(run: RunManifest, size: int) -> RunManifest:
    """The same run on a computer whose memory holds so many samples."""
    return msgspec.structs.replace(
        run, collaboration=msgspec.structs.replace(run.collaboration, batch_size_per_step=size)
    )


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """What came of eight of them in some hundred rounds."""
    with local_hub() as hub, peer_group(tmp_path_factory.mktemp("honest")) as hired:
        plain, half, brain = (
            language_model(small_run(target_batch_size=3000, matchmaking_time=2.0), hub, 5e-4, precision=precision)
            for precision in ("fp32", "fp16", "bf16")
        )
        members = (
            Member(manifest=plain, samples_per_second=USUAL),
            Member(manifest=plain, samples_per_second=FAST),
            Member(manifest=with_micro_batch(plain, 2), samples_per_second=SLOW, mode="client"),
            Member(manifest=half, samples_per_second=USUAL),
            Member(manifest=brain, samples_per_second=USUAL, mode="client"),
            Member(manifest=with_micro_batch(plain, 2), samples_per_second=USUAL / 2),
            Member(manifest=with_micro_batch(plain, 64), samples_per_second=USUAL, mode="client"),
            Member(manifest=plain, samples_per_second=USUAL, late=True),
        )
        row = Row(name="honest", members=members, epochs=ROUNDS, limit_seconds=LIMIT_SECONDS)
        return learn(hired, (row,), side_by_side=1, seconds=LIMIT_SECONDS + 100)["honest"]


def test_they_are_in_all_these_rounds(outcome: Outcome) -> None:
    assert outcome.failures == []
    assert min(outcome.epochs) >= ROUNDS, outcome.epochs


def test_nobody_names_anybody(outcome: Outcome) -> None:
    print(f"\n{min(map(len, outcome.rounds))} rounds, whole {outcome.whole}, loss {outcome.remaining_loss(0):.2f}")
    assert not any(outcome.outliers), outcome.outliers
