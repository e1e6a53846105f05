"""What a line leaves of the computing: by hand for GPT-2 small, and in the order that was measured."""

from __future__ import annotations

import msgspec
import pytest

from core.run.manifest import RunManifest
from core.run.requirements import estimate_requirements
from core.run.round_estimate import Line, estimate_own_round, estimate_round
from core.run.run_file import load_run_file
from core.run.spec.collaboration import Collaboration
from tests.support.checkout import ROOT

HOME_LINE = Line(upload=20e6, download=100e6)
GPU = 25e12


def gpt2_small(**collaboration: int | str) -> RunManifest:
    """GPT-2 small in blocks of 1,024 tokens; a round is 100 steps of 32 blocks of each of 8 volunteers."""
    told = Collaboration(**({"mode": "local-sgd", "target_batch_size": 8 * 100 * 32} | collaboration))  # type: ignore[arg-type]
    return msgspec.structs.replace(load_run_file(ROOT / "examples" / "home-gpt2-small.toml"), collaboration=told)


def test_gpt2_small_in_8_bits_is_exchanged_in_50_seconds_and_computed_in_a_hundred() -> None:
    estimate = estimate_round(gpt2_small(), HOME_LINE, GPU, volunteers=8)
    assert estimate.sent_bytes == pytest.approx(125e6, rel=0.01)
    assert estimate.exchange_seconds == pytest.approx(50, rel=0.01)
    assert estimate.computing_seconds == pytest.approx(98, rel=0.02)
    assert estimate.training_share == pytest.approx(0.66, abs=0.01)
    assert estimate.keeper_upload == pytest.approx(160e6)
    assert estimate.keeper_bytes_per_day == pytest.approx(8 * 125e6 * 86400 / 148, rel=0.02)


def test_with_overlap_the_longer_of_both_counts() -> None:
    hidden = estimate_round(gpt2_small(overlap="delayed"), HOME_LINE, GPU, volunteers=8)
    assert hidden.training_share == 1.0
    waits = estimate_round(gpt2_small(overlap="delayed"), HOME_LINE, GPU, volunteers=32)
    assert waits.round_seconds == pytest.approx(waits.exchange_seconds)
    assert waits.training_share == pytest.approx(24.5 / 50, rel=0.03)


def test_a_round_ends_at_its_limit() -> None:
    limited = estimate_round(gpt2_small(max_round_seconds=30), HOME_LINE, GPU, volunteers=8)
    assert limited.computing_seconds == 30
    assert limited.training_share == pytest.approx(30 / (30 + 50), rel=0.01)


def test_a_step_for_each_exchange_leaves_next_to_nothing() -> None:
    gradients = gpt2_small(mode="gradients", target_batch_size=8 * 32)
    estimate = estimate_round(gradients, HOME_LINE, GPU, volunteers=8)
    assert estimate.sent_bytes == pytest.approx(8 * 124.4e6, rel=0.01)
    assert estimate.exchange_seconds == pytest.approx(8 * 124.4e6 * 8 * (1 / 20e6 + 1 / 100e6), rel=0.01)
    assert estimate.training_share < 0.01


def test_half_of_an_epochs_gradients_have_the_last_step_whatever_the_overlap() -> None:
    epochs = msgspec.structs.replace(gpt2_small(), collaboration=Collaboration(target_batch_size=256_000))
    slow, fast = (estimate_own_round(epochs, 256.0, Line(upload=each * 1e6)) for each in (10, 100))
    seconds = 2 * 8 * 124.4e6 * 8 / 10e6  # gradients and weights, sent and received
    assert fast.training_share == 1.0, "the step comes within half of the epoch"
    assert slow.round_seconds == pytest.approx(max(seconds, seconds / 2 + 500), rel=0.01)
    quick = estimate_own_round(epochs, 512.0, Line(upload=10e6))
    assert quick.round_seconds == pytest.approx(seconds, rel=0.01), "the weights come after the step"
    rare = Collaboration(target_batch_size=256_000, average_state_every=10)
    waits = estimate_own_round(msgspec.structs.replace(epochs, collaboration=rare), 256.0, Line(upload=5e6))
    assert waits.round_seconds == pytest.approx(seconds * 10 / 11 * 1.1 + 500, rel=0.01)


def test_a_newcomer_downloads_what_the_requirements_say() -> None:
    manifest = gpt2_small()
    estimate = estimate_round(manifest, HOME_LINE, GPU, volunteers=2)
    downloaded = estimate_requirements(manifest).download_bytes
    assert estimate.newcomer_seconds == pytest.approx(downloaded * 8 / 100e6)


def test_a_volunteers_own_round_is_that_of_its_swarm_and_line() -> None:
    manifest = gpt2_small()
    own = estimate_own_round(manifest, samples_per_second=256.0, line=HOME_LINE)
    assert own.round_seconds == pytest.approx(25600 / 256 + 50, rel=0.01)
    assert own.training_share == pytest.approx(100 / 150, rel=0.01)
    hidden = estimate_own_round(gpt2_small(overlap="delayed"), samples_per_second=256.0, line=HOME_LINE)
    assert hidden.training_share == 1.0
    assert estimate_own_round(manifest, samples_per_second=256.0, line=None).training_share == 1.0


def test_without_a_speed_only_the_bytes_are_known() -> None:
    own = estimate_own_round(gpt2_small(), samples_per_second=None, line=HOME_LINE)
    assert own.sent_bytes == pytest.approx(125e6, rel=0.01)
    assert own.round_seconds is None and own.training_share is None


def test_a_download_that_is_not_known_counts_as_no_faster_than_the_upload() -> None:
    unknown = estimate_own_round(gpt2_small(), 256.0, Line(upload=20e6))
    assert unknown == estimate_own_round(gpt2_small(), 256.0, Line(upload=20e6, download=20e6))
    assert unknown == estimate_own_round(gpt2_small(), 256.0, HOME_LINE)  # both directions at once: the upload lasts
    gradients = msgspec.structs.replace(gpt2_small(), collaboration=Collaboration(target_batch_size=25600))
    left = [estimate_own_round(gradients, 256.0, line).training_share for line in (Line(upload=20e6), HOME_LINE)]
    assert left[0] is not None and left[1] is not None and left[0] < left[1]


def test_with_sparse_changes_each_receives_as_much_of_every_sender() -> None:
    two, eight = (estimate_round(gpt2_small(delta_codec="topk"), HOME_LINE, GPU, volunteers=n) for n in (2, 8))
    assert two.sent_bytes == eight.sent_bytes == pytest.approx(0.032 * 124.4e6, rel=0.01)
    assert (two.received_bytes, eight.received_bytes) == (2 * two.sent_bytes, 8 * two.sent_bytes)
    dense = estimate_round(gpt2_small(delta_codec="int4"), HOME_LINE, GPU, volunteers=8)
    assert eight.exchange_seconds < dense.exchange_seconds / 5
    assert (
        estimate_round(gpt2_small(delta_codec="topk"), HOME_LINE, GPU, volunteers=99).received_bytes < dense.sent_bytes
    )
