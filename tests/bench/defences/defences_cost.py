"""What all defences cost an honest run: two peers that train with them and without, in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median

from tests.bench.peers.pair import PATIENCE_EPOCHS, START_SECONDS, Kind
from tests.bench.peers.pair_run import Training, pair_life
from tests.bench.setup import Ground
from tests.bench.table import Row, figure_row

MIN_SHARE = 0.98
LEAST_NOISE = 0.02  # of the loss: two pairs of one kind differ by that
WAYS: tuple[Kind, ...] = ("workerbee", "undefended")


@dataclass
class DefencesMeasured:
    """For each way, with the defences and without, what the pairs have done."""

    trainings: dict[Kind, list[Training]] = field(default_factory=lambda: {way: [] for way in WAYS})


def defences_deeds(
    ground: Ground, pairs: int, epochs: int, measured: DefencesMeasured
) -> Mapping[str, Callable[[], Training]]:
    """Every measurement, each noting its figures; the two ways take turns, and turns in going first."""

    def train(way: Kind) -> Training:
        seconds = START_SECONDS + (epochs + 10) * PATIENCE_EPOCHS * ground.epoch_seconds
        training, _ = pair_life(way, ground.shortened(seconds), epochs, None)
        measured.trainings[way].append(training)
        return training

    turns = [(number, way) for number in range(pairs) for way in (WAYS if number % 2 == 0 else WAYS[::-1])]
    return {f"defences {number + 1}, {way}": lambda way=way: train(way) for number, way in turns}  # type: ignore[misc]


def defences_rows(measured: DefencesMeasured) -> list[Row]:
    """Speeds by their medians; losses after the last epoch that all pairs have ended."""
    speeds = {way: [each.samples_per_second for each in measured.trainings[way]] for way in WAYS}
    losses = _losses_at_last(measured)
    share = median(speeds["workerbee"]) / median(speeds["undefended"]) if all(speeds.values()) else None
    ratio = median(losses["workerbee"]) / median(losses["undefended"]) if all(losses.values()) else None
    noise = max(LEAST_NOISE, _spread(losses["undefended"]))
    return [
        figure_row(
            "samples/s of two honest peers with all defences ÷ without",
            share,
            "{:.3f}",
            f"≥ {MIN_SHARE}",
            lambda it: it >= MIN_SHARE,
        ),
        figure_row(
            "their held-out loss ÷ without",
            ratio,
            "{:.3f}",
            f"≤ {1 + noise:.3f}, the noise",
            lambda it: it <= 1 + noise,
        ),
    ]


def _losses_at_last(measured: DefencesMeasured) -> dict[Kind, list[float]]:
    """Of each way; none where not every pair has ended one epoch."""
    everything = [each.losses for trainings in measured.trainings.values() for each in trainings]
    shared = frozenset.intersection(*map(frozenset, everything)) if everything else frozenset[int]()
    if not shared:
        return {way: [] for way in WAYS}
    return {way: [each.losses[max(shared)] for each in measured.trainings[way]] for way in WAYS}


def _spread(losses: list[float]) -> float:
    """How far the losses of one way are apart, relatively."""
    return (max(losses) - min(losses)) / median(losses) if losses else 0.0
