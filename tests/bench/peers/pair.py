"""Two peers of one kind that train together: Workerbee's, with its defences or without, or bare hivemind's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Literal

from core.protocol.events import AnyEvent, Progress, Published, TrainingStarted
from tests.bench.peers.metrics import Track
from tests.bench.peers.peer_process import COMMAND_LINE, PeerProcess
from tests.bench.setup import Ground, TooLate
from tests.support.real_peers import LOOPBACK

Kind = Literal["workerbee", "default", "overlap", "undefended"]
KINDS: tuple[Kind, ...] = ("workerbee", "default", "overlap")
OURS: dict[Kind, tuple[str, ...]] = {
    "workerbee": (COMMAND_LINE,),
    "undefended": ("tests.bench.defences.undefended_peer", "client"),
}
"""Workerbee's own peers: a module, and what it is told before a command of `workerbee`."""
Around = Callable[[int], AbstractContextManager[object]]
START_SECONDS = 90.0
SETTLING_EPOCHS = 2  # the one in which the second peer came, and the first that both did from its beginning
PATIENCE_EPOCHS = 2.0  # an epoch may last so many times as long as it should


@dataclass(frozen=True)
class Pair:
    """``first_epoch`` is the first one after both have settled."""

    first: PeerProcess
    second: PeerProcess
    first_epoch: int

    @property
    def tracks(self) -> tuple[Track, Track]:
        """What both have reported so far."""
        return Track(self.first.seen()), Track(self.second.seen())

    def train(self, ground: Ground, epochs: int) -> int:
        """Wait until both have done so many epochs: the epoch in which both are. What is late is left out."""
        last = self.first_epoch + epochs
        seconds = (SETTLING_EPOCHS + epochs) * PATIENCE_EPOCHS * ground.epoch_seconds
        limit_evaluation = ground.shortened(seconds)
        try:
            for peer in (self.first, self.second):
                peer.wait_for(lambda event: _has_reached(event, last), limit_evaluation.limit(seconds))
        except TooLate:
            last = min(last, *(_epoch_of(track) for track in self.tracks))
            if last <= self.first_epoch:
                raise
        return last


@contextmanager
def paired(kind: Kind, ground: Ground, around: Around = lambda _peer: nullcontext()) -> Iterator[Pair]:
    """A first peer that trains, and a second one that has come to it; nothing is left of them afterwards.

    Peer 0 and peer 1 are started within what ``around`` gives for that number.
    """
    with around(0):
        first = first_peer(kind, ground)
    with first:
        addresses = addresses_of(first, ground)
        with around(1):
            second = second_peer(kind, ground, addresses)
        with second:
            started = second.wait_for(lambda event: isinstance(event, TrainingStarted), ground.limit(START_SECONDS))
            assert isinstance(started.event, TrainingStarted)
            yield Pair(first, second, started.event.epoch + SETTLING_EPOCHS)


def first_peer(kind: Kind, ground: Ground) -> PeerProcess:
    """The run's organiser."""
    if kind in OURS:
        words = [
            *OURS[kind][1:],
            "publish",
            str(ground.run_file),
            "--listen",
            "/ip4/127.0.0.1/tcp/0",
            *_choices(ground),
        ]
        return PeerProcess("organiser", OURS[kind][0], words, ground.cores[0], ground.folder)
    words = bare_words(kind, ground)
    return PeerProcess("bare-1", "tests.bench.peers.bare_peer", words, ground.cores[0], ground.folder)


def second_peer(kind: Kind, ground: Ground, addresses: tuple[str, ...]) -> PeerProcess:
    """A volunteer that comes to that address."""
    if kind in OURS:
        words = [*OURS[kind][1:], "join", *addresses, "--yes", *_choices(ground)]
        return PeerProcess("volunteer", OURS[kind][0], words, ground.cores[1], ground.folder)
    words = bare_words(kind, ground, addresses)
    return PeerProcess("bare-2", "tests.bench.peers.bare_peer", words, ground.cores[1], ground.folder)


def bare_words(kind: Kind, ground: Ground, addresses: Sequence[str] = (), listen: str = LOOPBACK) -> list[str]:
    """What tests.bench.peers.bare_peer is to be told; the first peer is told no addresses."""
    return [str(ground.run_file), str(ground.threads), kind, listen, *addresses]


def addresses_of(peer: PeerProcess, ground: Ground) -> tuple[str, ...]:
    """Where a first peer can be joined, once it trains there."""
    published = peer.wait_for(lambda event: isinstance(event, Published), ground.limit(START_SECONDS))
    peer.wait_for(lambda event: isinstance(event, Progress), ground.limit(START_SECONDS))
    assert isinstance(published.event, Published)
    return published.event.addresses


def _choices(ground: Ground) -> list[str]:
    return ["--device", "cpu", "--threads", str(ground.threads), "--json"]


def _has_reached(event: AnyEvent, epoch: int) -> bool:
    return isinstance(event, Progress) and event.epoch >= epoch


def _epoch_of(track: Track) -> int:
    reports = track.reports
    return reports[-1].progress.epoch if reports else 0
