"""Whether base weights stay equal while peers join, leave, are killed and come late: real peers, drawn by lot."""

from __future__ import annotations

import contextlib
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from core.protocol.commands import NetworkMode
from core.protocol.events import Progress
from tests.bench.local_sgd.recorded_peers import Move, RecordedPeer, RecordedPeers, paced_run
from tests.bench.local_sgd.root_counts import RootCounts, root_counts_of
from tests.bench.setup import Ground, told_as_not_measured

SEED = 15
TARGET = 1600  # samples of a round: three seconds of four peers
LEAST, MOST = 2, 4  # volunteers at a time
EVENT_ROUNDS = 2  # from one event to the next
ROUND_LIMIT_SECONDS = 120.0
NETWORKS: tuple[NetworkMode, ...] = ("direct", "client", "client")
HAPPENINGS = ("join", "leave", "kill", "sleep", "join")


@dataclass
class Roots:
    """What came of so many ``seconds``; ``happenings`` counts what was done to peers, ``troubles`` what nobody did."""

    counts: RootCounts
    seconds: float
    happenings: Counter[str]
    troubles: list[str] = field(default_factory=list)


def measure_roots(ground: Ground, rounds: int) -> Roots:
    """Live until the organiser has taken so many outer steps, or the time of the bench is up."""
    with contextlib.closing(_Swarm(ground.folder / "roots")) as swarm, told_as_not_measured():
        return swarm.live(rounds, ground)


class _Swarm:
    """An organiser, and volunteers that come and go."""

    def __init__(self, folder: Path) -> None:
        self._group, self._lot = RecordedPeers(folder), random.Random(SEED)
        self._volunteers: dict[str, RecordedPeer] = {}
        self._gone: list[str] = []
        self._happened: Counter[str] = Counter()
        self._troubles: list[str] = []
        self._number = 0

    def close(self) -> None:
        """Nothing of anybody is left."""
        self._group.close()

    def live(self, rounds: int, ground: Ground) -> Roots:
        """Something happens every other round."""
        began = time.monotonic()
        manifest = paced_run(target_batch_size=TARGET, matchmaking_time=1.0, averaging_timeout=10.0)
        organiser = self._group.organiser(manifest=manifest)
        assert isinstance(organiser, RecordedPeer)
        self._organiser, self._address = organiser, organiser.posted
        organiser.wait_for(Progress)
        while len(self._volunteers) < LEAST + 1:
            self._join()
        self._happened.clear()
        last = self._after(EVENT_ROUNDS)
        while last < rounds and ground.deadline > time.monotonic():
            self._happen()
            last = self._after(EVENT_ROUNDS)
        counts = root_counts_of(self._group.started)
        return Roots(counts, time.monotonic() - began, self._happened, self._troubles)

    def _after(self, rounds: int) -> int:
        """Wait for so many more outer steps of the organiser; how many it has taken then."""
        first, until = self._steps(), time.monotonic() + ROUND_LIMIT_SECONDS
        while self._steps() < first + rounds:
            self._organiser.wait_for(Progress, since=len(self._organiser.said))
            if time.monotonic() > until:
                self._troubles.append(f"no {rounds} rounds in {ROUND_LIMIT_SECONDS:.0f} s after round {first}")
                break
        return self._steps()

    def _steps(self) -> int:
        moves: list[Move] = self._organiser.moves()
        return moves[-1].steps if moves else 0

    def _happen(self) -> None:
        for name, peer in list(self._volunteers.items()):
            if peer.process.poll() is not None:
                self._troubles.append(f"{name} had ended, with exit code {peer.process.poll()}")
                del self._volunteers[name]
        what = self._lot.choice(HAPPENINGS)
        if len(self._volunteers) <= LEAST:
            what = "join"
        elif len(self._volunteers) >= MOST and what == "join":
            what = self._lot.choice(("leave", "kill"))
        getattr(self, f"_{what}")()

    def _join(self) -> None:
        """A newcomer, or one who was there before, with what is on its disk."""
        comes_again = self._gone and self._lot.random() < 0.5
        name = self._gone.pop(0) if comes_again else f"volunteer-{self._number}"
        self._number += not comes_again
        peer = self._group.newcomer(self._address, name, NETWORKS[int(name.split("-")[1]) % len(NETWORKS)])
        assert isinstance(peer, RecordedPeer)
        peer.agree()
        self._happened["come again" if comes_again else "join"] += 1
        self._volunteers[name] = peer

    def _drawn(self) -> tuple[str, RecordedPeer]:
        name = self._lot.choice(sorted(self._volunteers))
        return name, self._volunteers[name]

    def _leave(self) -> None:
        name, peer = self._drawn()
        self._happened["leave"] += 1
        peer.leave()
        self._forget(name)

    def _kill(self) -> None:
        """At any moment of a round."""
        name, peer = self._drawn()
        self._happened["kill"] += 1
        peer.kill()
        self._forget(name)

    def _forget(self, name: str) -> None:
        del self._volunteers[name]
        self._gone.append(name)

    def _sleep(self) -> None:
        """Nothing of it runs until the organiser has taken one more step: it comes late to what follows."""
        _, peer = self._drawn()
        self._happened["late"] += 1
        with _stopped(peer.family):
            self._after(1)


@contextlib.contextmanager
def _stopped(family: list[psutil.Process]) -> Iterator[None]:
    try:
        _signal(family, signal.SIGSTOP)
        yield
    finally:
        _signal(family, signal.SIGCONT)


def _signal(family: list[psutil.Process], number: signal.Signals) -> None:
    for process in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(number)
