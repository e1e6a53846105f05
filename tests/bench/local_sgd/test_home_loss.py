"""The arithmetic of what is learned over home lines, and what the row says of it."""

from __future__ import annotations

import math

import pytest

from core.protocol.events import AnyEvent, Evaluated, RoundFinished
from tests.bench.local_sgd.home_loss import (
    EPOCH_SECONDS,
    LOCAL,
    PACE,
    HomeLossMeasured,
    heard,
    home_loss_deeds,
    home_loss_runs,
)
from tests.bench.local_sgd.loss_curve import LossCurve, Reported, lowest
from tests.bench.local_sgd.recorded_peers import RecordedPeer
from tests.bench.local_sgd.rows import LocalSgdMeasured, local_sgd_rows
from tests.bench.peers.test_metrics import progress
from tests.bench.setup import Ground


def curve(*reported: tuple[float, int, float]) -> LossCurve:
    """What was reported in 900 seconds: when, by which volunteer, which loss."""
    return LossCurve(900.0, tuple(Reported(*each) for each in reported), 160.0, 0.1, rounds=8, whole=8)


def both(*points: tuple[float, float]) -> LossCurve:
    """Both volunteers report the same at the same time."""
    return curve(*((seconds, number, loss) for seconds, loss in points for number in (0, 1)))


def volunteer(*said: tuple[float, AnyEvent]) -> RecordedPeer:
    """One that has said so much, at these times; there is no process."""
    peer = RecordedPeer.__new__(RecordedPeer)
    peer.heard_at, peer.said = [at for at, _ in said], [event for _, event in said]
    return peer


def evaluated(loss: float) -> Evaluated:
    """A held-out loss."""
    return Evaluated(epoch=1, loss=loss, accuracy=0.0)


def test_only_what_is_said_in_the_time_counts() -> None:
    one = volunteer(
        (99.0, evaluated(3.0)),
        (101.0, progress(0, 1000, stalled=0.1)),
        (130.0, evaluated(2.0)),
        (140.0, RoundFinished(epoch=1, kind="changes", ok=True, peers=3, seconds=1.0)),
        (198.0, progress(1, 9000)),
        (201.0, evaluated(1.0)),
    )
    other = volunteer((105.0, progress(0, 500)), (129.0, evaluated(1.5)), (190.0, progress(1, 6500, stalled=0.3)))
    seen = heard([one, other], began=100.0, seconds=100.0)
    assert seen.reported == (Reported(29.0, 1, 1.5), Reported(30.0, 0, 2.0)) and seen.last == 1.75
    assert (seen.samples_per_second, seen.stall_seconds, seen.rounds, seen.whole) == (140.0, 0.3, 1, 1)


def test_a_loss_is_the_mean_of_what_both_reported_last() -> None:
    learned = curve((30.0, 0, 2.0), (31.0, 1, 1.0), (60.0, 0, 1.0), (900.0, 1, 0.5))
    assert learned.means == [(31.0, 1.5), (60.0, 1.0), (900.0, 0.75)] and learned.last == 0.75


def test_it_is_reached_when_the_mean_was_so_low_for_the_first_time() -> None:
    learned = both((30.0, 2.0), (60.0, 1.0), (90.0, 1.2))
    assert (learned.reaches(1.0), learned.reaches(1.1), learned.reaches(0.9)) == (60.0, 60.0, math.inf)


def test_who_never_reports_has_learned_nothing() -> None:
    assert curve((30.0, 0, 2.0)).last == math.inf
    assert lowest([curve(), both((10.0, 2.0)), both((10.0, 1.5), (20.0, 3.0))]).last == 2.0


@pytest.mark.parametrize(
    ("local", "shown", "reached"),
    [
        (both((300.0, 1.5), (450.0, 1.0), (900.0, 0.5)), "0.50 (450 of 900 s)", [True, True]),
        (both((480.0, 0.9), (900.0, 0.5)), "0.53 (480 of 900 s)", [True, False]),
        (both((300.0, 1.5), (900.0, 1.1)), "inf (inf of 900 s)", [False, False]),
    ],
)
def test_local_sgd_is_compared_with_the_best_epochs_of_gradients(
    local: LossCurve, shown: str, reached: list[bool]
) -> None:
    gradients = {f"gradients, {seconds:.0f} s": both((900.0, 0.9 + seconds / 100)) for seconds in EPOCH_SECONDS}
    rows = local_sgd_rows(LocalSgdMeasured(home_loss=HomeLossMeasured({LOCAL: local, **gradients})))["home_loss"]()
    assert [each.is_reached for each in rows] == reached
    assert rows[1].ours == shown and "1.000 (10 s), 1.100 (20 s), 1.300 (40 s)" in rows[0].ours


def test_the_runs_differ_in_nothing_but_how_peers_agree() -> None:
    runs = home_loss_runs()
    assert len({(run.recipe, run.data, run.collaboration.batch_size_per_step) for run in runs.values()}) == 1
    sizes = {name: run.collaboration.target_batch_size for name, run in runs.items()}
    assert sizes[LOCAL] == 30 * 2 * PACE and min(sizes.values()) == EPOCH_SECONDS[0] * 2 * PACE
    assert all(run.collaboration.grad_compression == "float16" for name, run in runs.items() if name != LOCAL)


def test_two_swarms_are_watched_at_a_time() -> None:
    deeds = home_loss_deeds(Ground.__new__(Ground), 900.0, HomeLossMeasured())
    assert list(deeds) == ["local-sgd and gradients, 10 s", "gradients, 20 s and gradients, 40 s"]
