"""What one liar of three costs the two others who average gradients: a swarm for each lie, and one without any."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec

from tests.bench.setup import Ground, NotMeasured, told_as_not_measured
from tests.bench.table import NO_FIGURE, own_row
from tests.bench.table import Row as TableRow
from tests.support.peers.learning_rows import Lie, Member, Outcome, Row, learn, small_run
from tests.support.real_peers import peer_group

SAMPLES_PER_SECOND = 80.0
TARGET = 960  # samples of an epoch: four seconds of three peers
LIES: tuple[Lie, ...] = ("huge", "flip", "zero", "initial", "noise", "reducer", "silent")
GROSS: tuple[Lie, ...] = ("huge", "noise", "reducer")
HONEST = "nobody lies"
LIAR = 2  # the last of three
MAX_LIED_TO = 1.10  # of the loss without a lie


@dataclass
class GradientLiars:
    """By the lie: the two others' mean loss as a share of the honest one, and whether nobody but the liar was named."""

    ratios: dict[str, float] = field(default_factory=dict)
    is_rightly_named: dict[str, bool] = field(default_factory=dict)


def liar_swarms(epochs: int) -> tuple[Row, ...]:
    """An organiser, a volunteer behind a router, and a third one who can be reached, and lies or not."""
    run = small_run(target_batch_size=TARGET, matchmaking_time=2.0)
    organiser = Member(manifest=run, samples_per_second=SAMPLES_PER_SECOND)
    volunteer = msgspec.structs.replace(organiser, mode="client")
    liars = {lie: msgspec.structs.replace(organiser, lies_from=1, lie=lie) for lie in LIES}
    honest = Row(name=HONEST, members=(organiser, volunteer, organiser), epochs=epochs)
    return honest, *(Row(name=lie, members=(organiser, volunteer, liar), epochs=epochs) for lie, liar in liars.items())


def honest_loss(outcome: Outcome, epochs: int) -> float:
    """The mean held-out loss of organiser and volunteer after so many epochs, or the last one measured before."""
    return sum(outcome.losses[member][: epochs + 1][-1] for member in range(LIAR)) / LIAR


def gradient_liars_deeds(ground: Ground, epochs: int, measured: GradientLiars) -> Mapping[str, Callable[[], object]]:
    """How it is measured: all swarms, one after the other."""
    return {"gradient_liars": lambda: _measure(ground, epochs, measured)}


def _measure(ground: Ground, epochs: int, measured: GradientLiars) -> GradientLiars:
    folder = ground.folder / "gradient-liars"
    folder.mkdir()
    with told_as_not_measured(), peer_group(folder) as everybody:
        outcomes = learn(everybody, liar_swarms(epochs), side_by_side=1)
    if failures := [failure for outcome in outcomes.values() for failure in outcome.failures]:
        raise NotMeasured("; ".join(failures)[:300])
    without = honest_loss(outcomes[HONEST], epochs)
    for lie in LIES:
        named = {each for member in outcomes[lie].outliers[:LIAR] for each in member}
        measured.ratios[lie] = honest_loss(outcomes[lie], epochs) / without
        measured.is_rightly_named[lie] = named == {LIAR} if lie in GROSS else named <= {LIAR}
    return measured


def gradient_liars_row(measured: GradientLiars) -> TableRow:
    """All lies in one row."""
    what = "one liar of three who average gradients: the others' loss ÷ without the lie"
    shown = ", ".join(f"{lie} {ratio:.2f}" for lie, ratio in measured.ratios.items())
    wrong = [lie for lie, is_right in measured.is_rightly_named.items() if not is_right]
    if not measured.ratios:
        return own_row(what, NO_FIGURE, f"≤ {MAX_LIED_TO:.2f}", None)
    named = f"NOT rightly named: {', '.join(wrong)}" if wrong else "who lies grossly is named, and nobody else"
    is_reached = max(measured.ratios.values()) <= MAX_LIED_TO and not wrong
    return own_row(what, f"{shown}; {named}", f"≤ {MAX_LIED_TO:.2f}", is_reached)
