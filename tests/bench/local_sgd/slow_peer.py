"""What one peer that is ten times slower costs three others who train by local SGD: with it, and without."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from core.protocol.events import Progress, RoundFinished
from core.run.manifest import RunManifest
from tests.bench.local_sgd.recorded_peers import SAMPLES_PER_SECOND, RecordedPeers, paced_run
from tests.bench.setup import Ground, told_as_not_measured
from tests.support.real_peers import Peer

TIMES_SLOWER = 10.0
TARGET = 2880  # samples of a round: six seconds of three peers
LIMIT_SECONDS = 120.0


@dataclass(frozen=True)
class Others:
    """What the three others have computed in a second together, and the longest time that one's loop stood still."""

    samples_per_second: float
    stall_seconds: float
    rounds: int
    whole_rounds: int


@dataclass
class SlowPeerMeasured:
    """The figures with and without the slow peer, of one run each."""

    figures: dict[str, Others] = field(default_factory=dict)


def slow_peer_deeds(ground: Ground, rounds: int, measured: SlowPeerMeasured) -> Mapping[str, Callable[[], Others]]:
    """How both are measured, in so many rounds each; each gives its figures, and notes them down."""

    def measure(name: str, has_slow: bool) -> Others:
        measured.figures[name] = _live(name, has_slow, rounds, ground)
        return measured.figures[name]

    return {"without": lambda: measure("without", False), "with": lambda: measure("with", True)}


def slow_peer_run() -> RunManifest:
    """Rounds of six seconds."""
    return paced_run(target_batch_size=TARGET, matchmaking_time=1.5)


def _live(name: str, has_slow: bool, rounds: int, ground: Ground) -> Others:
    with closing(_group(ground, name)) as group, told_as_not_measured():
        organiser = group.organiser(manifest=slow_peer_run())
        others = [organiser, *(group.newcomer(organiser.posted, each, "client") for each in ("one", "other"))]
        group.pace = SAMPLES_PER_SECOND / TIMES_SLOWER
        slow = [group.newcomer(organiser.posted, "slow", "client")] if has_slow else []
        for each in (*others[1:], *slow):
            each.agree()
        return _watched(others, len(others) + len(slow), rounds)


def _group(ground: Ground, name: str) -> RecordedPeers:
    return RecordedPeers(ground.folder / f"slow-peer-{name}")


def _watched(peers: Sequence[Peer], everybody: int, rounds: int) -> Others:
    """From the first round in which everybody was, for so many more of each."""

    def is_whole(event: RoundFinished) -> bool:
        return event.ok and event.peers == everybody

    for each in peers:
        each.wait_for(RoundFinished, is_whole, seconds=LIMIT_SECONDS)
    firsts = [len(each.said) for each in peers]
    begins = [_report(each) for each in peers]
    for each, first in zip(peers, firsts, strict=True):
        since = first
        for _ in range(rounds):
            ended = each.wait_for(RoundFinished, since=since, seconds=LIMIT_SECONDS)
            since = each.said.index(ended, since) + 1
    ends = [_report(each) for each in peers]
    rates = [(last - first) / (end - begin) for (begin, first), (end, last) in zip(begins, ends, strict=True)]
    said = [event for each, first in zip(peers, firsts, strict=True) for event in each.said[first:]]
    ended_rounds = [event for event in said if isinstance(event, RoundFinished)]
    return Others(
        samples_per_second=sum(rates),
        stall_seconds=max(event.stalled_seconds for event in said if isinstance(event, Progress)),
        rounds=len(ended_rounds),
        whole_rounds=sum(map(is_whole, ended_rounds)),
    )


def _report(peer: Peer) -> tuple[float, int]:
    """When its next report arrives, on the monotonic clock, and how many samples it has computed by then."""
    progress = peer.wait_for(Progress, since=len(peer.said))
    return time.monotonic(), progress.contributed_samples
