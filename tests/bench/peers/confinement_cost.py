"""What the worker's confinement costs: one of two peers that train together has it, and a worker that starts, in turn.

Both of a pair do the same rounds on the same computer, so that all which varies from run to run is in both speeds. The
organiser does more than the volunteer; each is the confined one in turn.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

from core.protocol.events import Confined
from core.security.confinement.confine import SWITCH
from tests.bench.peers.metrics import Track, samples_per_second
from tests.bench.peers.pair import PATIENCE_EPOCHS, START_SECONDS, paired
from tests.bench.peers.peer_process import COMMAND_LINE, PeerProcess
from tests.bench.setup import Ground
from tests.bench.table import Row, figure_row

MIN_SHARE = 0.99
MAX_START_SECONDS = 0.2
Way = Literal["confined", "free"]


@dataclass
class ConfinementMeasured:
    """By what the organiser is: samples a second, the confined peer's ÷ the other's, of each pair; for each way a list
    of seconds from the command to the worker that has begun.
    """

    shares: dict[Way, list[float]] = field(default_factory=lambda: {"confined": [], "free": []})
    starts: dict[Way, list[float]] = field(default_factory=lambda: {"confined": [], "free": []})


def confinement_deeds(
    ground: Ground, pairs: int, epochs: int, measured: ConfinementMeasured
) -> Mapping[str, Callable[[], float]]:
    """Every measurement, each noting its figure; the two ways take turns, and turns in going first."""

    def train(way: Way) -> float:
        measured.shares[way].append(_share(way, ground, epochs))
        return measured.shares[way][-1]

    def start(way: Way) -> float:
        measured.starts[way].append(_start_seconds(way, ground))
        return measured.starts[way][-1]

    deeds: dict[str, Callable[[], float]] = {}
    for number in range(pairs):
        ways: tuple[Way, ...] = ("confined", "free") if number % 2 == 0 else ("free", "confined")
        for way in ways:
            deeds[f"start {number + 1}, {way}"] = lambda way=way: start(way)  # type: ignore[misc]
        for way in ways:
            deeds[f"training {number + 1}, organiser {way}"] = lambda way=way: train(way)  # type: ignore[misc]
    return deeds


def confinement_rows(measured: ConfinementMeasured) -> list[Row]:
    """The geometric mean of both shares' medians, and the difference of both starts'."""
    shares = {way: median(values) if values else None for way, values in measured.shares.items()}
    starts = {way: median(values) if values else None for way, values in measured.starts.items()}
    share = math.sqrt(shares["confined"] * shares["free"]) if shares["confined"] and shares["free"] else None
    longer = starts["confined"] - starts["free"] if starts["confined"] and starts["free"] else None
    return [
        figure_row(
            "samples/s of a peer whose worker is confined ÷ of another beside it whose worker is not",
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


def _share(of_organiser: Way, ground: Ground, epochs: int) -> float:
    """Samples a second of the confined one of a pair ÷ of the other, once both have settled."""
    of_volunteer: Way = "free" if of_organiser == "confined" else "confined"
    ways: tuple[Way, Way] = (of_organiser, of_volunteer)
    seconds = START_SECONDS + (epochs + 10) * PATIENCE_EPOCHS * ground.epoch_seconds
    ground = ground.shortened(seconds)
    with paired("workerbee", ground, lambda peer: _switched(ways[peer])) as pair:
        last = pair.train(ground, epochs)
        speeds = dict(zip(ways, (_speed(track, pair.first_epoch, last) for track in pair.tracks), strict=True))
    return speeds["confined"] / speeds["free"]


def _speed(track: Track, first: int, after: int) -> float:
    """Samples a second that a peer has computed from epoch ``first`` up to ``after``."""
    begin, end = track.arrival(first), track.arrival(after)
    assert begin is not None and end is not None, "the pair has trained that far"
    return samples_per_second(track, begin.at, end.at)


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
