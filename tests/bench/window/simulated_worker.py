"""A worker that computes nothing and tells of a run in full swing, at the real pace or faster.

    python -m tests.bench.window.simulated_worker PACE PEERS

PACE is how many seconds pass between two reports; the real one is 0.5. It has PEERS peers.
"""

from __future__ import annotations

import itertools
import math
import os
import random
import sys
import threading
import time
from collections.abc import Iterator

from core.localizable import LocalizedText
from core.protocol.codec import decode_command, encode
from core.protocol.commands import REPORT_SECONDS, Join, Leave, SetPace, Start
from core.protocol.events import (
    AnyEvent,
    Connected,
    ContributionStatus,
    Evaluated,
    Hello,
    Left,
    Network,
    Progress,
    RoundFinished,
    RunFound,
    SearchFinished,
    TrainingStarted,
)
from core.protocol.examples import Solved
from core.protocol.peers import PeerSeen, PeersSeen
from core.protocol.types import PROTOCOL_VERSION, Event
from core.run.manifest import RunInfo, RunManifest
from core.run.spec.collaboration import Collaboration
from core.run.spec.recipe import ArithmeticGPT

RUN_ID = "sums"
ORGANISER = "12D3KooWM9FVLymCDe7hjiJBRBgGVMaJMVAsbPX9rZ4xwYHNrpwR"
ADDRESS = f"/ip4/203.0.113.5/tcp/31337/p2p/{ORGANISER}"
REPORTS_AN_EPOCH = 40
REPORTS_PER_LOOK_AT_PEERS = 10  # the real worker looks every 5 s
_EVALUATED_EPOCHS = 5
_TARGET = 4096
_BYTES_A_REPORT = 1_000_000
_ME = "12D3KooW" + "me" * 22


def manifest() -> RunManifest:
    """The run of which it tells."""
    return RunManifest(
        run=RunInfo(id=RUN_ID, name="Sums up to 99"),
        recipe=ArithmeticGPT(),
        collaboration=Collaboration(target_batch_size=_TARGET, batch_size_per_step=32),
    )


def reports_until(progress: Progress) -> int:
    """How many reports were made, that one included; the window passes over some that another follows at once."""
    return progress.sent_bytes // _BYTES_A_REPORT + 1


def story(peers: int) -> Iterator[AnyEvent]:
    """All events after the start, for ever; a Progress is the end of each half second."""
    chance = random.Random(7)
    yield TrainingStarted(device="cpu", epoch=1, parameters=1_000_000)
    yield ContributionStatus(state="starting", reason=LocalizedText("The first round is yet to come."))
    contributed = 0
    for number in itertools.count():
        epoch, place = divmod(number, REPORTS_AN_EPOCH)
        if place == 0 and epoch:
            yield from _step(epoch, peers)
        if number % REPORTS_PER_LOOK_AT_PEERS == 0:
            yield _peers_seen(epoch + 1, peers, chance)
        mine = round(chance.uniform(18, 26))
        contributed += mine
        yield Progress(
            epoch=epoch + 1,
            samples=_TARGET * place // REPORTS_AN_EPOCH,
            target=_TARGET,
            samples_per_second=2.0 * mine,
            swarm_samples_per_second=chance.uniform(190, 210),
            peers=peers,
            clients=peers // 3,
            loss=0.3 + 3.0 * math.exp(-number / 2000) + chance.uniform(0.0, 0.05),
            my_samples=22 * place,
            contributed_samples=contributed,
            next_step_seconds=(REPORTS_AN_EPOCH - place) * REPORT_SECONDS,
            sent_bytes=_BYTES_A_REPORT * number,
            received_bytes=900_000 * number,
            stalled_seconds=chance.uniform(0.0, 0.05),
        )


def _step(epoch: int, peers: int) -> Iterator[AnyEvent]:
    """What ends an epoch."""
    group = min(peers, 16)
    is_ok = epoch % 12 != 0
    reason = LocalizedText("" if is_ok else "no other peer was found in time")
    yield RoundFinished(epoch=epoch, kind="gradients", ok=is_ok, peers=group, seconds=2.1, reason=reason)
    if epoch == 1:
        yield ContributionStatus(state="helping", reason=LocalizedText(f"averaged with {group} peers"))
    if epoch % _EVALUATED_EPOCHS == 0:
        yield RoundFinished(epoch=epoch, kind="state", ok=True, peers=group, seconds=3.4)
        solved = tuple(Solved(text=f"{number}+58={number + 58}", correct=True) for number in range(3))
        accuracy = 1.0 - math.exp(-epoch / 100)
        yield Evaluated(epoch=epoch, loss=1.0 / epoch, accuracy=accuracy, examples=solved)


def _peers_seen(epoch: int, peers: int, chance: random.Random) -> PeersSeen:
    """Everybody a little faster or slower than the last time; one in fifty comes and goes."""
    there = [number for number in range(peers) if number == 0 or peers < 50 or chance.random() > 0.02]
    return PeersSeen(peers=tuple(_peer(number, epoch, chance) for number in there), loss=1.0)


def _peer(number: int, epoch: int, chance: random.Random) -> PeerSeen:
    return PeerSeen(
        peer_id=f"12D3KooW{number:044d}" if number else _ME,
        epoch=epoch - (number % 17 == 3),
        samples=round(chance.uniform(0, 100)),
        samples_per_second=chance.uniform(1, 200),
        client_mode=number % 3 == 1,
        is_me=number == 0,
        name=f"Desk {number}" if number % 2 else "",
        device="NVIDIA GeForce RTX 3060",
    )


def _say(event: Event) -> None:
    sys.stdout.buffer.write(encode(event))
    sys.stdout.buffer.flush()


class Story:
    """What it tells once it has started."""

    def __init__(self, pace: float, peers: int) -> None:
        self._pace, self._peers = pace, peers
        self.report_seconds = REPORT_SECONDS

    def tell(self) -> None:
        """Each report at its time, or as seldom as is asked for; a late one does not make the others late."""
        due, reports = time.monotonic(), 0
        for event in story(self._peers):
            if isinstance(event, Progress):
                due += self._pace
                reports += 1
                time.sleep(max(0.0, due - time.monotonic()))
                if reports % round(self.report_seconds / REPORT_SECONDS):
                    continue
            _say(event)


def main() -> None:
    """One life."""
    pace, peers = float(sys.argv[1]), int(sys.argv[2])
    told = Story(pace, peers)
    _say(Hello(protocol=PROTOCOL_VERSION, version="bench"))
    for line in sys.stdin.buffer:
        match decode_command(line):
            case Join():
                _say(Connected(peer_id=_ME, peers=peers))
                _say(Network(mode="direct", reason=LocalizedText("asked for")))
                _say(RunFound(manifest=manifest(), organiser=ORGANISER, vouched=True))
                _say(SearchFinished(found=1))
            case Start():
                threading.Thread(target=told.tell, daemon=True).start()
            case SetPace() as asked:
                told.report_seconds = asked.report_seconds
            case Leave():
                break
    _say(Left())
    os._exit(0)  # as the real one does


if __name__ == "__main__":
    main()
