"""Peers of the bench that have a pace, and the versions that their base weights have had."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from core.protocol.codec import decode_event
from core.protocol.events import AnyEvent
from core.run.manifest import RunManifest
from core.run.spec.data import SumsData
from core.run.spec.optimizer import AdamW
from tests.bench.local_sgd.recorded_worker import PACE, RECORD
from tests.support.real_peers import LineProcess, Peer, PeerGroup, tiny

SCRIPT = "tests.bench.local_sgd.recorded_worker"
SAMPLES_PER_SECOND = 160.0


class Move(msgspec.Struct, frozen=True, kw_only=True):
    """Base weights have a version since ``at``, in seconds on the monotonic clock.

    They came to it by an outer step, or were there from the beginning, replayed or downloaded.
    """

    at: float
    is_step: bool
    steps: int
    root: str


class RecordedPeer(Peer):
    """A Peer with a pace, in samples a second, that records the versions of its base weights.

    ``heard_at`` has a time on the monotonic clock for each thing of ``said``.
    """

    def __init__(self, home: Path, pace: float, within: Sequence[str] = ()) -> None:
        self.home = home
        name = f"{home.name}-versions-"  # beside its home, whose disk may be full
        self._record = home.with_name(f"{name}{len(list(home.parent.glob(name + '*')))}")
        command = [*within, sys.executable, "-P", "-m", SCRIPT]
        told = {PACE: str(pace), RECORD: str(self._record)}
        self.heard_at = list[float]()
        LineProcess.__init__(self, command, home / "logs" / "worker.log", self._heard, True, **told)

    def _heard(self, line: bytes) -> AnyEvent:
        self.heard_at.append(time.monotonic())
        return decode_event(line)

    def moves(self) -> list[Move]:
        """All so far, in order; one for each version."""
        return recorded_moves(self._record)


def recorded_moves(record: Path) -> list[Move]:
    """All that a worker has written down so far, in order; one for each version."""
    lines = record.read_bytes().split(b"\n")[:-1] if record.exists() else []
    moves: list[Move] = []
    for move in (msgspec.json.decode(line, type=Move) for line in lines):
        if not moves or (moves[-1].steps, moves[-1].root) != (move.steps, move.root):
            moves.append(move)
    return moves


class RecordedPeers(PeerGroup):
    """Starts peers whose pace is ``pace`` when they are started; ``started`` are all of them."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.pace = SAMPLES_PER_SECOND
        self.started: list[RecordedPeer] = []

    def _peer(self, home: str) -> Peer:
        peer = RecordedPeer(self.folder / home, self.pace, self._within)
        self.started.append(peer)
        self._ends.callback(peer.end)
        return peer

    def close(self) -> None:
        """Nothing of any of them is left."""
        self._ends.close()


def paced_run(**collaboration: Any) -> RunManifest:
    """A small model that learns sums of two digits by local SGD, and trains on during an exchange."""
    options: dict[str, Any] = {"mode": "local-sgd", "overlap": "delayed", "batch_size_per_step": 16}
    run = tiny(**(options | collaboration))
    return msgspec.structs.replace(run, data=SumsData(digits=2), optimizer=AdamW(learning_rate=5e-4))
