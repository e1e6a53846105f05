"""How long it takes from the command to the first sample that counts, against a bare script's time."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass

from core.protocol.events import AnyEvent, Connected, Hello, Progress, RunFound, TrainingStarted
from tests.bench.peers.pair import Kind, addresses_of, first_peer, second_peer
from tests.bench.peers.peer_process import PeerProcess
from tests.bench.setup import Ground, TooLate

JOIN_LIMIT_SECONDS = 90.0
LEAVE_LIMIT_SECONDS = 12.0  # for a bare peer's own shutdown, which may wait for a round
ALONE_LIMIT_SECONDS = 15.0
STAGES = (Hello, Connected, RunFound, TrainingStarted)


@dataclass(frozen=True)
class Joining:
    """Seconds since the process was started. ``stages`` are (what, when) on the way, where they are told."""

    seconds: float
    stages: tuple[tuple[str, float], ...]


def joinings(ground: Ground, pairs: int) -> tuple[list[Joining], list[Joining]]:
    """Workerbee's and bare hivemind's, in turn, to the same organiser, which has stepped at least once."""
    ours: list[Joining] = []
    bare: list[Joining] = []
    with first_peer("workerbee", ground) as organiser:
        addresses = addresses_of(organiser, ground)
        seconds = ground.limit(JOIN_LIMIT_SECONDS)
        organiser.wait_for(lambda event: isinstance(event, Progress) and event.epoch >= 1, seconds)
        for number in range(pairs):
            turns: list[tuple[Kind, list[Joining]]] = [("workerbee", ours), ("default", bare)]
            for kind, times in turns if number % 2 == 0 else turns[::-1]:
                times.append(_join(kind, ground, addresses))
                _wait_until_alone(organiser, ground)
    return ours, bare


def _join(kind: Kind, ground: Ground, addresses: tuple[str, ...]) -> Joining:
    """One volunteer comes, contributes and goes."""
    with second_peer(kind, ground, addresses) as volunteer:
        first = volunteer.wait_for(_tells_a_sample, ground.limit(JOIN_LIMIT_SECONDS))
        stages = {type(each.event).__name__: each.at for each in reversed(volunteer.seen())}
        volunteer.ask_to_leave()
        volunteer.wait_until_gone(LEAVE_LIMIT_SECONDS)
    names = [stage.__name__ for stage in STAGES if stage.__name__ in stages]
    told = tuple((name, stages[name] - volunteer.started) for name in names)
    return Joining(first.at - volunteer.started, told)


def _tells_a_sample(event: AnyEvent) -> bool:
    """The optimizer has counted it: one that was computed while the state was out of date does not."""
    return isinstance(event, Progress) and event.contributed_samples > 0 and event.my_samples > 0


def _wait_until_alone(organiser: PeerProcess, ground: Ground) -> None:
    """So that every volunteer meets the same swarm; a ghost that stays is not waited for."""
    since, seconds = len(organiser.seen()), ground.limit(ALONE_LIMIT_SECONDS)
    with contextlib.suppress(TooLate):
        organiser.wait_for(lambda event: isinstance(event, Progress) and event.peers == 1, seconds, since)
    time.sleep(ground.limit(1.0))
