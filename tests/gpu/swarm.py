"""A swarm on this computer: an organiser that trains on the CPU, and a volunteer with a client on the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from core.client.restart_policy import RestartPolicy
from core.protocol.events import RoundFinished
from core.run.address import JoinAddress
from core.run.manifest import RunManifest
from tests.bench.peers.metrics import Track, joint_samples_per_second, speeds_by_rounds
from tests.bench.peers.peer_process import Seen
from tests.gpu.runs import with_micro_batch
from tests.support.client_harness import FrontEnd
from tests.support.real_peers import Peer, PeerGroup, averaged

LIMIT_SECONDS = 240.0  # for one thing to happen; a row's own limit comes first
_NO_RESTART = RestartPolicy(delays_seconds=(3600.0,))  # a worker that dies shall be seen to be gone


@dataclass(frozen=True)
class Speed:
    """Of the volunteer in whole epochs: samples a second, also during rounds and between them, and rounds averaged.

    ``stalled_share`` is how much of the time its loop stood still, at the least: the longest of each half a second.
    """

    samples_per_second: float
    during_rounds: float
    between_rounds: float
    stalled_share: float
    longest_stall_seconds: float
    averaged: int
    rounds: int


class Swarm:
    """``volunteer`` is a client in this process, whose worker computes on the device."""

    def __init__(self, folder: Path, peers: PeerGroup, worker: Sequence[str]) -> None:
        self._folder, self._peers, self._worker = folder, peers, worker
        self._fronts: list[FrontEnd] = []
        self._organiser: Peer | None = None

    def begin(
        self, manifest: RunManifest, device: str, micro_batch: int, threads: int, *, names_micro_batch: bool
    ) -> None:
        """Publish the run, and let a volunteer train in it; ``threads`` are the organiser's."""
        run = with_micro_batch(manifest, micro_batch) if names_micro_batch else manifest
        self._organiser = self._peers.organiser(f"{self._folder.name}-organiser", run, threads=threads)
        self.join(device, micro_batch)

    def join(self, device: str, micro_batch: int) -> FrontEnd:
        """One more volunteer, who trains."""
        assert self._organiser is not None
        home = self._folder / f"volunteer-{len(self._fronts)}"
        front = FrontEnd(home, worker_command=self._worker, restarts=_NO_RESTART, limit_seconds=LIMIT_SECONDS)
        self._fronts.append(front)
        front.train(JoinAddress.parse(self._organiser.posted), device=device, micro_batch=micro_batch)
        return front

    @property
    def volunteer(self) -> FrontEnd:
        """The first one, training; after a pause of its own it goes on."""
        front = self._fronts[0]
        if front.session.phase == "paused":
            front.client.resume()
        front.until(lambda session: session.phase == "training" and session.progress is not None)
        return front

    def speed(self, epochs: int) -> Speed:
        """Of the volunteer in so many whole epochs, once both have averaged with each other."""
        front = self.volunteer
        front.until(lambda session: any(map(averaged, session.rounds)))
        assert front.session.progress is not None
        first = front.session.progress.epoch + 1
        last = first + epochs
        front.until(lambda session: session.progress is not None and session.progress.epoch >= last)
        track = Track(tuple(map(Seen, front.handled_at, front.events)))  # type: ignore[arg-type]
        rounds = [event for event in front.events if isinstance(event, RoundFinished)]
        begin, end = track.arrival(first), track.arrival(last)
        assert begin is not None and end is not None
        during, between = speeds_by_rounds(track, begin.at, end.at)
        return Speed(
            samples_per_second=joint_samples_per_second((track,), first, last),
            during_rounds=during,
            between_rounds=between,
            stalled_share=sum(track.stalls(begin.at, end.at)) / (end.at - begin.at),
            longest_stall_seconds=track.longest_stall(begin.at, end.at),
            averaged=sum(map(averaged, rounds)),
            rounds=len(rounds),
        )

    def close(self) -> None:
        """Nothing is left of it."""
        for front in self._fronts:
            front.client.leave()
        for front in self._fronts:
            front.client.close()
        if self._organiser is not None:
            self._organiser.end()


def family_of(front: FrontEnd) -> frozenset[int]:
    """The process ids of a volunteer's worker and all that it has started."""
    worker = worker_process(front)
    return frozenset({worker.pid, *(child.pid for child in worker.children(recursive=True))})


def worker_process(front: FrontEnd) -> psutil.Process:
    """The worker of a volunteer that trains."""
    assert front.client._worker is not None
    return psutil.Process(front.client._worker.pid)
