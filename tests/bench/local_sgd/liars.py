"""What one liar of three costs the two others who train by local SGD: one swarm in which it lies, and one without.

From its third round on it sends a thousand times its change with the opposite sign, and claims a billion samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from tests.bench.setup import Ground, NotMeasured, told_as_not_measured
from tests.support.peers.learning_rows import Member, Outcome, Row, learn, local_sgd_run
from tests.support.real_peers import peer_group

SAMPLES_PER_SECOND = 80.0
TARGET = 960  # samples of a round: four seconds of three peers
LIES_FROM = 2
_LIAR = 2  # the last of three


@dataclass(frozen=True)
class Liars:
    """Mean losses of the two others after so many rounds, as shares of the untrained model's."""

    honest_loss: float
    lied_to_loss: float
    rounds: int
    is_named: bool
    """Whether the organiser, who reduces, has named the liar and nobody else."""
    is_equal: bool
    """Whether the two have the same base weights in the end."""


def measure_liars(ground: Ground, rounds: int) -> Liars:
    """Let both swarms learn, one after the other."""
    run = local_sgd_run(target_batch_size=TARGET, matchmaking_time=2.0)
    organiser = Member(manifest=run, samples_per_second=SAMPLES_PER_SECOND)
    volunteer = msgspec.structs.replace(organiser, mode="client")
    liar = msgspec.structs.replace(volunteer, lies_from=LIES_FROM)
    swarms = (
        Row(name="honest", members=(organiser, volunteer, volunteer), epochs=rounds),
        Row(name="lied to", members=(organiser, volunteer, liar), epochs=rounds),
    )
    folder = ground.folder / "liars"
    folder.mkdir()
    with told_as_not_measured(), peer_group(folder) as everybody:
        outcomes = learn(everybody, swarms, side_by_side=1)
    return liars_of(outcomes["honest"], outcomes["lied to"], rounds)


def liars_of(honest: Outcome, lied_to: Outcome, rounds: int) -> Liars:
    """The figures of both swarms. Raises NotMeasured where one of them did not get to its end."""
    if failures := [*honest.failures, *lied_to.failures]:
        raise NotMeasured("; ".join(failures)[:300])
    return Liars(
        honest_loss=_mean_loss(honest),
        lied_to_loss=_mean_loss(lied_to),
        rounds=rounds,
        is_named=lied_to.outliers[0] == [_LIAR] and not any(lied_to.outliers[1:_LIAR]) and not any(honest.outliers),
        is_equal=lied_to.distance == 0.0,
    )


def _mean_loss(outcome: Outcome) -> float:
    return sum(map(outcome.remaining_loss, range(_LIAR))) / _LIAR
