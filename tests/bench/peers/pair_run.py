"""One pair's life: both train for some epochs, then the second one goes and the first one is watched."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import time
from dataclasses import dataclass, field

from core.protocol.events import Evaluated, Left, Progress
from tests.bench.peers.metrics import Track, joint_samples_per_second, samples_per_second
from tests.bench.peers.pair import PATIENCE_EPOCHS, Kind, Pair, paired
from tests.bench.peers.peer_process import PeerProcess
from tests.bench.setup import Ground, TooLate

GONE_LIMIT_SECONDS = 20.0
WATCHED_EPOCHS = 3  # with overlap, the outcome of the second round is awaited at the end of the third
SILENCE_SECONDS = 2.0  # a loop that has not reported for so long stands still
RATE_SECONDS = 4.0  # the stretch before leaving from which the loop's speed is taken
NEVER = math.inf


@dataclass(frozen=True)
class Training:
    """What both did together once they had settled. ``stall_seconds`` is the worse one's.

    ``losses`` are the first peer's on held-out samples, by epoch, where it measures any.
    """

    epochs: int
    samples_per_second: float
    stall_seconds: float
    rounds_averaged: int
    rounds: int
    losses: dict[int, float] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Leaving:
    """Seconds from the wish to leave; ``None`` where it was killed instead, infinite where it never happened.

    ``others_stall_seconds`` is the longest of the other peer in the two rounds after that.
    """

    last_sample_seconds: float | None
    gone_seconds: float | None
    others_stall_seconds: float
    client_peak_bytes: int


def pair_life(kind: Kind, ground: Ground, epochs: int, leave_after: float | None) -> tuple[Training, Leaving | None]:
    """Start a pair, have it train, and see one go after that share of one more epoch, if that is wanted."""
    with paired(kind, ground) as pair:
        last = pair.train(ground, epochs)
        training = _training(pair, last)
        if leave_after is None:
            return training, None
        with contextlib.suppress(TooLate):
            time.sleep(ground.limit(leave_after * ground.epoch_seconds))
            return training, _leaving(kind, pair, ground)
    return training, None


def _training(pair: Pair, last: int) -> Training:
    tracks, first = pair.tracks, pair.first_epoch
    stalls, averaged, rounds = [], 0, 0
    for track in tracks:
        begin, end = track.arrival(first), track.arrival(last)
        assert begin is not None and end is not None, "the pair has trained that far"
        stalls.append(track.longest_stall(begin.at, end.at))
        ok, all_of_them = track.gradient_rounds(begin.at, end.at)
        averaged, rounds = averaged + ok, rounds + all_of_them
    rate = joint_samples_per_second(tracks, first, last)
    return Training(last - first, rate, max(stalls), averaged, rounds, _losses(pair.first))


def _losses(peer: PeerProcess) -> dict[int, float]:
    events = (each.event for each in peer.seen())
    return {each.epoch: each.loss for each in events if isinstance(each, Evaluated) and each.loss is not None}


def _leaving(kind: Kind, pair: Pair, ground: Ground) -> Leaving:
    """The second peer goes: Workerbee's is asked to leave, a bare one is killed with its family."""
    memory = pair.second.peak_memory_bytes()
    if kind != "workerbee":
        asked = time.monotonic()
        os.killpg(pair.second.pid, signal.SIGKILL)
        return Leaving(None, None, _watch(pair.first, asked, ground), memory)
    asked = pair.second.ask_to_leave()
    gone = pair.second.wait_until_gone(GONE_LIMIT_SECONDS)
    stall = _watch(pair.first, asked, ground)
    last_sample = last_sample_at(Track(pair.second.seen()))
    return Leaving(max(0.0, last_sample - asked), (gone or NEVER) - asked, stall, memory)


def last_sample_at(track: Track) -> float:
    """When the last micro-batch before the goodbye ended, on the monotonic clock; infinite without a goodbye.

    The goodbye tells how many samples there were in all; those after the last report took as long as the ones
    before it.
    """
    left = next((each for each in track.seen if isinstance(each.event, Left)), None)
    if left is None:
        return NEVER
    assert isinstance(left.event, Left)
    report = next(each for each in reversed(track.reports) if each.at <= left.at)
    rate = samples_per_second(track, report.at - RATE_SECONDS, report.at)
    after = left.event.contributed_samples - report.progress.contributed_samples
    return min(report.at + (after / rate if rate else 0.0), left.at)


def _watch(peer: PeerProcess, since: float, ground: Ground) -> float:
    """The longest time in seconds that this peer stands still in its next two rounds; it may still do so."""
    reports = Track(peer.seen()).reports
    last = reports[-1].progress.epoch + WATCHED_EPOCHS
    # alone, it needs twice as long for an epoch
    seconds = ground.limit(WATCHED_EPOCHS * 2 * PATIENCE_EPOCHS * ground.epoch_seconds)
    with contextlib.suppress(TooLate):
        peer.wait_for(lambda event: isinstance(event, Progress) and event.epoch >= last, seconds)
    track, now = Track(peer.seen()), time.monotonic()
    silence = now - track.reports[-1].at
    return max(track.longest_stall(since, now), silence if silence > SILENCE_SECONDS else 0.0)
