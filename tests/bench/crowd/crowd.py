"""Crowds of real peers on one computer: whether rounds are whole, how long they take, and what each peer costs.

A keeper and N volunteers, every fourth of whom can be reached, are forked from one process that has everything loaded.
They train a tiny model at a limited speed, so that there is time for all of them on a few cores, and look for newer
manifests and orders of their organiser as volunteers do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median

import msgspec

from core.run.spec.collaboration import Mode
from tests.bench.setup import Ground, NotMeasured, told_as_not_measured
from tests.bench.table import NO_FIGURE, own_row
from tests.bench.table import Row as TableRow
from tests.support.peers.learning_rows import Member, Outcome, Row, learn, local_sgd_run, small_run
from tests.support.real_peers import peer_group

MODES: tuple[Mode, ...] = ("gradients", "local-sgd")
SAMPLES_PER_SECOND = 4.0  # of each
MATCHMAKING_SECONDS = 10.0
EPOCHS, MEASURED_FROM = 3, 1
START_SECONDS = 540.0  # of a crowd, beside its epochs, at the most
MIN_WHOLE, MAX_BYTES_PER_SECOND = 0.95, 2_000
MUST_HOLD = 32  # volunteers


@dataclass
class Crowds:
    """What came of each crowd, by the mode and the number of volunteers; ``sizes`` are all numbers that are to be.

    An epoch lasts ``epoch_seconds``.
    """

    sizes: tuple[int, ...] = ()
    epoch_seconds: float = 120.0
    outcomes: dict[tuple[Mode, int], Outcome] = field(default_factory=dict)


def crowd(mode: Mode, volunteers: int, epoch_seconds: float) -> Row:
    """A keeper and so many volunteers; an epoch is as long as they make it together, about so many seconds."""
    build = small_run if mode == "gradients" else local_sgd_run
    target = round(epoch_seconds * SAMPLES_PER_SECOND * volunteers)
    run = build(target_batch_size=target, matchmaking_time=MATCHMAKING_SECONDS, batch_size_per_step=4)
    direct = Member(manifest=run, samples_per_second=SAMPLES_PER_SECOND, is_led=True)
    client = msgspec.structs.replace(direct, mode="client")
    keeper = msgspec.structs.replace(direct, keeps=True)
    members = (direct if number % 4 == 0 else client for number in range(volunteers))
    return Row(
        name=f"{mode}, {volunteers} volunteers",
        members=(keeper, *members),
        epochs=EPOCHS,
        limit_seconds=START_SECONDS + EPOCHS * epoch_seconds,
        costs_from=MEASURED_FROM,
    )


def crowd_deeds(
    ground: Ground, sizes: Sequence[int], epoch_seconds: float, measured: Crowds
) -> Mapping[str, Callable[[], object]]:
    """Every crowd, one after the other."""
    measured.sizes, measured.epoch_seconds = tuple(sizes), epoch_seconds
    return {
        f"crowd, {mode}, {size}": lambda mode=mode, size=size: _measure(ground, mode, size, measured)  # type: ignore[misc]
        for mode in MODES
        for size in sizes
    }


def _measure(ground: Ground, mode: Mode, volunteers: int, measured: Crowds) -> str:
    row = crowd(mode, volunteers, measured.epoch_seconds)
    folder = ground.folder / f"crowd-{mode}-{volunteers}"
    folder.mkdir()
    with told_as_not_measured(), peer_group(folder) as everybody:
        outcome = learn(everybody, (row,), side_by_side=1, seconds=row.limit_seconds + 60)[row.name]
    if outcome.failures or not outcome.costs:
        raise NotMeasured("; ".join(outcome.failures)[:300] or "the crowd did not get so far")
    measured.outcomes[mode, volunteers] = outcome
    return figures(outcome)


def figures(outcome: Outcome) -> str:
    """What a crowd came to, in a line."""
    keeper, *volunteers = outcome.costs
    rounds = [seconds for member in outcome.round_seconds for seconds in member]
    parts = (
        f"{mean(outcome.whole):.0%} of the rounds with everybody",
        f"a round {median(rounds):.1f} s" if rounds else "no round",
        f"a peer {moved(outcome) / 1000:.1f} kB/s, of which {averaged(outcome) / 1000:.1f} are averages",
        f"CPU of the keeper {keeper.core_share:.1%}, of a volunteer {mean(each.core_share for each in volunteers):.1%}",
        f"memory of a peer {mean(each.memory_bytes for each in outcome.costs) / 2**20:.0f} MiB",
    )
    return ", ".join(parts)


def moved(outcome: Outcome) -> float:
    """Bytes a second of the member with the median of them, both ways, what is averaged included."""
    return median(each.moved_bytes_per_second for each in outcome.costs)


def averaged(outcome: Outcome) -> float:
    """Bytes a second of averages and their groups, of the member with the median of them, both ways."""
    return median(each.averaged_bytes_per_second for each in outcome.costs)


def moved_beside(outcome: Outcome) -> float:
    """Bytes a second beside the averages, of the member with the median of them, both ways."""
    return median(each.moved_bytes_per_second - each.averaged_bytes_per_second for each in outcome.costs)


def crowd_rows(measured: Crowds) -> list[TableRow]:
    """A row for each crowd; those of `MUST_HOLD` volunteers have something to reach."""
    return [_row(measured, mode, size) for mode in MODES for size in measured.sizes]


def _row(measured: Crowds, mode: Mode, size: int) -> TableRow:
    what = f"{size} volunteers and a keeper, `{mode}`, epochs of {measured.epoch_seconds:.0f} s"
    outcome = measured.outcomes.get((mode, size))
    must = (
        f"≥ {MIN_WHOLE:.0%}, ≤ {MAX_BYTES_PER_SECOND / 1000:.0f} kB/s beside averages"
        if size == MUST_HOLD
        else NO_FIGURE
    )
    if outcome is None:
        return own_row(what, NO_FIGURE, must, None)
    is_reached = mean(outcome.whole) >= MIN_WHOLE and moved_beside(outcome) <= MAX_BYTES_PER_SECOND
    return own_row(what, figures(outcome), must, is_reached if size == MUST_HOLD else None)
