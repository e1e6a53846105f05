"""What was measured with real peers (``resources/docs/benchmarks.md``), beside the simulation of the same swarm."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from tests.scale.exchange import exchange
from tests.scale.swarm import Swarm
from tests.scale.world import Volunteer, World

_PARAMETERS = 1.78e6  # arithmetic-gpt of "Home lines": layers 4, width 192
_MINUTES = 15
# Seconds of computing at the volunteers' limit, 160 samples/s of both; epochs in 15 minutes. They computed at 131.
_HOME_LOSS = ((10.0, 27), (20.0, 18), (40.0, 11))
_LIMIT, _REACHED = 160.0, 131.0
_CROWD, _CROWD_PARAMETERS, _CROWD_EPOCH_SECONDS = 32, 13_600, 120.0  # of "Crowds"


@dataclass(frozen=True)
class Compared:
    """A figure that was measured, from ``least`` to ``most``, and the simulated one."""

    what: str
    least: float
    most: float
    simulated: float

    @property
    def error(self) -> float:
        """How far the simulation is outside of what was measured, as a share of it."""
        nearest = min(max(self.simulated, self.least), self.most)
        return abs(self.simulated - nearest) / nearest


def calibration() -> list[Compared]:
    """Every figure of the benchmarks that the simulation can say, too."""
    return [
        *(_epochs(seconds, epochs) for seconds, epochs in _HOME_LOSS),
        _local_sgd(),
        _three_peers(),
        *_crowd(),
    ]


def _two_volunteers(world: World) -> World:
    """On lines of 4 Mbit/s behind a router, with a keeper that can be reached; nobody leaves."""
    return replace(
        world,
        session_seconds=None,
        uploads=(4e6, 4e6),
        download_ratio=1.0,
        reachable_share=0.0,
        speeds=(1.0, 1.0),
        matchmaking_seconds=5.0,
        efficiency=1.0,
    )


def _epochs(computing: float, measured: int) -> Compared:
    """Gradients in halves, weights in halves every fifth epoch, nothing overlapped."""
    sent = 2 * _PARAMETERS * (1 + 1 / 5)
    round_seconds = computing * _LIMIT / _REACHED
    world = _two_volunteers(World(2, "gradients", sent, 0.0, round_seconds=round_seconds, is_overlapped=False))
    rounds = Swarm(world).live(_MINUTES / 60).rounds
    what = f"epochs of gradients in 15 minutes, two volunteers on 4 Mbit/s, {computing:.0f} s of computing each"
    return Compared(what, measured, measured, rounds)


def _local_sgd() -> Compared:
    world = _two_volunteers(World(2, "local-sgd", 1.02 * _PARAMETERS, 0.0, round_seconds=36.0))
    outcome = Swarm(world).live(7.5 * 36 / 3600)
    assert outcome.whole == outcome.rounds
    return Compared("share of the computing that is left with local SGD on 4 Mbit/s", 0.99, 1.0, outcome.utilisation)


def _three_peers() -> Compared:
    """Ten million parameters among three peers on lossy lines of 20 Mbit/s, all of which can be reached."""
    world = World(3, "gradients", 40e6, 0.0)
    line = 20e6 * world.efficiency
    planned = exchange([Volunteer(line, line, 1.0, is_reachable=True)] * 3, world.sent_bytes, world.mode)
    assert planned is not None
    what = "seconds of an exchange of 40 MB, three peers on 20 Mbit/s with 1 % loss"
    return Compared(what, 19.0, 29.0, max(planned.seconds))


def _crowd() -> list[Compared]:
    """Volunteers and a keeper on one computer, a quarter of whom can be reached: gradients and weights in every epoch.

    Bytes are both ways; a volunteer's are those of one that connects only outwards.
    """
    sent_bytes = 2 * 4 * _CROWD_PARAMETERS
    world = World(
        _CROWD,
        "gradients",
        sent_bytes,
        0.0,
        round_seconds=_CROWD_EPOCH_SECONDS,
        matchmaking_seconds=10.0,
        session_seconds=None,
        uploads=(math.inf, math.inf),
        speeds=(4.0, 4.0),
        keeper_line=math.inf,
    )
    outcome = Swarm(world).live(3.5 * _CROWD_EPOCH_SECONDS / 3600)
    members = [Volunteer(math.inf, math.inf, 4.0, is_reachable=number % 4 == 0) for number in range(_CROWD)]
    planned = exchange([world.keeper, *members], sent_bytes, world.mode)
    assert planned is not None and outcome.rounds == 3
    keepers, clients = (2 * planned.moved(number) / _CROWD_EPOCH_SECONDS / 1000 for number in (0, _CROWD))
    of_crowd = f"{_CROWD} volunteers and a keeper on one computer, gradients"
    return [
        Compared(f"share of rounds with all of {of_crowd}", 1.0, 1.0, outcome.whole_share),
        Compared(f"share of the computing that is left: {of_crowd}", 0.97, 0.98, outcome.utilisation),
        Compared(f"kB/s of averages of a volunteer: {of_crowd}", 1.7, 2.5, clients),
        Compared(f"kB/s of averages of the keeper: {of_crowd}", 9.0, 9.0, keepers),
    ]
