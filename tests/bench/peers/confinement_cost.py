"""What the worker's confinement costs: two peers that train, and a worker that starts, with it and without, in turn."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

from core.protocol.events import Confined
from core.security.confinement.confine import SWITCH
from tests.bench.peers.pair import PATIENCE_EPOCHS, START_SECONDS
from tests.bench.peers.pair_run import pair_life
from tests.bench.peers.peer_process import COMMAND_LINE, PeerProcess
from tests.bench.setup import Ground
from tests.bench.table import Row, figure_row

MIN_SHARE = 0.99
MAX_START_SECONDS = 0.2
Way = Literal["confined", "free"]


@dataclass
class ConfinementMeasured:
    """For each way a list: samples a second of a pair, and seconds from the command to the confined worker."""

    speeds: dict[Way, list[float]] = field(default_factory=lambda: {"confined": [], "free": []})
    starts: dict[Way, list[float]] = field(default_factory=lambda: {"confined": [], "free": []})


def confinement_deeds(
    ground: Ground, pairs: int, epochs: int, measured: ConfinementMeasured
) -> Mapping[str, Callable[[], float]]:
    """Every measurement, each noting its figure; the two ways take turns, and turns in going first."""

    def train(way: Way) -> float:
        seconds = START_SECONDS + (epochs + 10) * PATIENCE_EPOCHS * ground.epoch_seconds
        with _switched(way):
            training, _ = pair_life("workerbee", ground.shortened(seconds), epochs, None)
        measured.speeds[way].append(training.samples_per_second)
        return training.samples_per_second

    def start(way: Way) -> float:
        measured.starts[way].append(_start_seconds(way, ground))
        return measured.starts[way][-1]

    deeds: dict[str, Callable[[], float]] = {}
    for number in range(pairs):
        ways: tuple[Way, ...] = ("confined", "free") if number % 2 == 0 else ("free", "confined")
        for way in ways:
            deeds[f"start {number + 1}, {way}"] = lambda way=way: start(way)  # type: ignore[misc]
        for way in ways:
            deeds[f"training {number + 1}, {way}"] = lambda way=way: train(way)  # type: ignore[misc]
    return deeds


def confinement_rows(measured: ConfinementMeasured) -> list[Row]:
    """The medians of both ways, against each other."""
    speeds = {way: median(values) if values else None for way, values in measured.speeds.items()}
    starts = {way: median(values) if values else None for way, values in measured.starts.items()}
    share = speeds["confined"] / speeds["free"] if speeds["confined"] and speeds["free"] else None
    longer = starts["confined"] - starts["free"] if starts["confined"] and starts["free"] else None
    return [
        figure_row(
            "samples/s of two peers whose workers are confined ÷ unconfined",
            share,
            "{:.3f}",
            f"≥ {MIN_SHARE}",
            lambda it: it >= MIN_SHARE,
        ),
        figure_row(
            "confinement: longer until the worker has begun",
            longer,
            "{:.2f} s",
            f"≤ {MAX_START_SECONDS} s",
            lambda it: it <= MAX_START_SECONDS,
        ),
    ]


def _start_seconds(way: Way, ground: Ground) -> float:
    """From the command to the worker that says how it is confined, which is before it loads anything heavy."""
    with (
        _switched(way),
        PeerProcess("doctor", COMMAND_LINE, ["doctor", "--json"], ground.cores[0], ground.folder) as peer,
    ):
        confined = peer.wait_for(lambda event: isinstance(event, Confined), ground.limit(START_SECONDS))
        assert isinstance(confined.event, Confined)
        assert ("everything" in confined.event.gaps) == (way == "free")
        return confined.at - peer.started


@contextmanager
def _switched(way: Way) -> Iterator[None]:
    """What is started meanwhile is confined, or is not."""
    before = os.environ.pop(SWITCH, None)
    if way == "free":
        os.environ[SWITCH] = "off"
    try:
        yield
    finally:
        os.environ.pop(SWITCH, None)
        if before is not None:
            os.environ[SWITCH] = before
