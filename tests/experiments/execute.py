"""Live one trial: real peers of ours on loopback, each on a core of its own, and what they say."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

import tomli_w

from core.protocol.events import AnyEvent, Evaluated, Progress, Published, TrainingStarted
from tests.bench.peers.metrics import Track
from tests.bench.peers.peer_process import COMMAND_LINE, PeerProcess
from tests.experiments.experiments import Trial
from tests.experiments.run_files import Tables
from tests.support.real_peers import LOOPBACK

START_SECONDS = 120.0
EPOCHS_SECONDS = 900.0
SETTLING_EPOCHS = 2  # the one in which the last peer came, and the first that all did from its beginning


@dataclass(frozen=True)
class Outcome:
    """Of the epochs from ``first`` up to, not including, ``last``; the organiser's track is the first."""

    trial: Trial
    tracks: tuple[Track, ...]
    first: int
    last: int

    @property
    def seconds(self) -> float:
        """By the organiser's clock."""
        begin, end = self.tracks[0].arrival(self.first), self.tracks[0].arrival(self.last)
        assert begin and end, "it was waited for"
        return end.at - begin.at

    @property
    def epoch_seconds(self) -> float:
        """On average."""
        return self.seconds / (self.last - self.first)

    @property
    def samples_per_epoch(self) -> float:
        """What all have computed together."""
        return sum(self._given(track) for track in self.tracks) / (self.last - self.first)

    @property
    def sent_bytes_per_epoch(self) -> float:
        """By the organiser's peer."""
        begin, end = self.tracks[0].arrival(self.first), self.tracks[0].arrival(self.last)
        assert begin and end
        return (end.progress.sent_bytes - begin.progress.sent_bytes) / (self.last - self.first)

    @property
    def longest_stall(self) -> float:
        """Of any peer's loop, in seconds."""
        spans = [(track.arrival(self.first), track.arrival(self.last), track) for track in self.tracks]
        return max(track.longest_stall(begin.at, end.at) for begin, end, track in spans if begin and end)

    @property
    def losses(self) -> list[tuple[float, int, float]]:
        """Seconds since the beginning, epoch, and the loss on what nobody trains on."""
        begin = self.tracks[0].arrival(self.first)
        assert begin
        return [
            (each.at - begin.at, each.event.epoch, each.event.loss)
            for each in self.tracks[0].seen
            if isinstance(each.event, Evaluated)
            and self.first <= each.event.epoch <= self.last
            and each.event.loss is not None
        ]

    def _given(self, track: Track) -> int:
        begin, end = track.arrival(self.first), track.arrival(self.last)
        return end.progress.contributed_samples - begin.progress.contributed_samples if begin and end else 0


def live(trial: Trial, tables: Tables, epochs: int, folder: Path) -> Outcome:
    """Until all have seen so many epochs; nothing of them is left afterwards."""
    folder.mkdir(parents=True)
    run_file = folder / "run.toml"
    changed = {name: tables[name] | added for name, added in trial.added.items()}
    run_file.write_text(tomli_w.dumps(tables | changed), "utf-8")
    with contextlib.ExitStack() as ends:
        peers = _start(trial, run_file, folder, ends)
        first = SETTLING_EPOCHS + max(_epoch(peer) for peer in peers)
        last = first + epochs
        for peer in peers:
            peer.wait_for(lambda event: isinstance(event, Progress) and event.epoch > last, EPOCHS_SECONDS)
        return Outcome(trial, tuple(Track(peer.seen()) for peer in peers), first, last)


def _start(trial: Trial, run_file: Path, folder: Path, ends: contextlib.ExitStack) -> list[PeerProcess]:
    """The organiser, then everybody else."""
    cores = sorted(os.sched_getaffinity(0))
    choices = ("--device", "cpu", "--threads", "1", "--json")

    def begin(number: int, *words: str) -> PeerProcess:
        core = frozenset({cores[number % len(cores)]})
        return ends.enter_context(PeerProcess(f"peer-{number}", COMMAND_LINE, [*words, *choices], core, folder))

    organiser = begin(0, "publish", str(run_file), "--listen", LOOPBACK)
    published = organiser.wait_for(lambda event: isinstance(event, Published), START_SECONDS).event
    organiser.wait_for(lambda event: isinstance(event, Progress), START_SECONDS)
    assert isinstance(published, Published)
    others = [begin(number, "join", *published.addresses, "--yes", "--always") for number in range(1, trial.peers)]
    return [organiser, *others]


def _epoch(peer: PeerProcess) -> int:
    """Where it began to train."""

    def has_begun(event: AnyEvent) -> bool:
        return isinstance(event, TrainingStarted)

    started = peer.wait_for(has_begun, START_SECONDS).event
    assert isinstance(started, TrainingStarted)
    return started.epoch
