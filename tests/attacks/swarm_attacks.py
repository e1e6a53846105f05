"""The attacks of some liars on an organiser and honest volunteers, and what each of them cost those.

Every attack is a swarm of real peers, which trains as long as the same swarm without a liar.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import msgspec

from core.worker.swarm.trust.findings import TrialLedger
from tests.support.peers.learning_rows import (
    ChangeLie,
    Claim,
    GradientLie,
    Lie,
    Member,
    Outcome,
    Row,
    local_sgd_run,
    small_run,
)

Mode = Literal["gradients", "local-sgd"]

SAMPLES_PER_SECOND = 60.0  # of each
EPOCH_SECONDS = 4  # of all members together
LIMIT_SECONDS = 900.0  # of a swarm
ARRIVED = 2  # the epoch in which all have met: they all begin in the same second, and lies and figures do here
MOST_EPOCHS = 500  # who is further has jumped: an epoch lasts seconds
NOBODY_LIES = "nobody lies"

WHAT = {
    "huge": "change or gradient × −1,000, weight 10⁹",
    "flip": "change or gradient × −1",
    "flipped": "change or gradient × −1, weight 10⁹, no sample reported",
    "zero": "gradient of zeros, weight 10⁹",
    "replayed": "its first gradient, again and again",
    "initial": "untrained weights in state rounds, weight 10⁹",
    "noise": "noise in state rounds, weight 10⁹",
    "drift": "2 % away in each state round",
    "reducer": "opposite averages as the averaging peer",
    "bent": "averages that are bent by as much as they are large",
    "shape": "parts of another length",
    "silent": "no answer as the averaging peer",
    "nan": "parts that are no numbers",
    "short": "parts that are too short",
    "ahead": "a record of an epoch that nobody has",
    "untrained": "the same, and untrained weights as its state",
    "samples": "2³⁹ samples",
    "gather": "a message to its groups that cannot be decoded",
}
LIES: dict[Mode, tuple[Lie, ...]] = {
    "gradients": (*get_args(GradientLie), *get_args(Claim)),
    "local-sgd": (*get_args(ChangeLie), *(claim for claim in get_args(Claim) if claim != "untrained")),
}


@dataclass(frozen=True)
class SwarmSize:
    """How many members tell the truth, the organiser among them; the last ones, so many, lie."""

    honest: int = 4
    liars: int = 1

    def row(self, mode: Mode, lie: Lie | None, epochs: int) -> Row:
        """Such a swarm; every second honest member connects only outwards."""
        build = small_run if mode == "gradients" else local_sgd_run
        target = round(EPOCH_SECONDS * SAMPLES_PER_SECOND * (self.honest + self.liars))
        direct = Member(
            manifest=build(target_batch_size=target, matchmaking_time=2.0), samples_per_second=SAMPLES_PER_SECOND
        )
        client = msgspec.structs.replace(direct, mode="client")
        honest = tuple(client if number % 2 else direct for number in range(self.honest))
        liar = direct if lie is None else msgspec.structs.replace(direct, lies_from=ARRIVED, lie=lie)
        return Row(
            name=row_name(mode, lie or NOBODY_LIES),
            members=(*honest, *[liar] * self.liars),
            epochs=epochs,
            limit_seconds=LIMIT_SECONDS,
            counted_from=ARRIVED,
        )


USUAL = SwarmSize()


def attack_rows(mode: Mode, lies: Iterable[Lie], epochs: int, size: SwarmSize = USUAL) -> tuple[Row, ...]:
    """The swarm in which nobody lies, and one for each lie."""
    return tuple(size.row(mode, lie, epochs) for lie in (None, *lies))


def row_name(mode: Mode, lie: str) -> str:
    """It is a folder's name, too."""
    return f"{mode} {lie}"


@dataclass(frozen=True)
class Cost:
    """What the honest members had of an attack.

    ``whole`` is the mean share of their rounds in which all of them were, ``loss`` the mean of their held-out losses
    after the row's epochs, ``stalled`` the longest that one of them stood still, in seconds. ``named`` are the members
    whom any of them named, also for what came of trying out changes, ``named_after`` the number of exchanges with lies
    after which each of the liars had been named by one of them; ``lost`` says in words what cannot be mended.
    """

    whole: float
    loss: float
    stalled: float
    named: frozenset[int]
    named_after: int | None
    lost: tuple[str, ...]

    @classmethod
    def of(cls, outcome: Outcome, epochs: int, honest: int) -> Cost:
        """Of that swarm, whose first members are the ``honest`` ones."""
        losses = [each[: epochs + 1][-1] for each in outcome.losses[:honest]]
        jumps = tuple(
            f"member {number} is in epoch {at}" for number, at in enumerate(outcome.epochs[:honest]) if at > MOST_EPOCHS
        )
        return cls(
            whole=sum(outcome.whole[:honest]) / honest,
            loss=sum(losses) / honest,
            stalled=max(outcome.stalled[:honest]),
            named=frozenset(each for named in outcome.outliers[:honest] for each in named)
            | {each for tried in outcome.trials[:honest] for each in harmful(tried)},
            named_after=outcome.last_named_after(honest),
            lost=(*outcome.failures, *jumps),
        )


def harmful(tried: Sequence[Sequence[float]]) -> frozenset[int]:
    """The members that one names who has tried out what each of them had changed."""
    ledger = TrialLedger()
    for number, changes in enumerate(tried):
        for change in changes:
            ledger.add(str(number), change)
    return frozenset(int(score.peer_id) for score in ledger.scores() if score.is_harmful)


def who(named: frozenset[int], size: SwarmSize) -> str:
    """In words."""
    if not named:
        return "nobody"
    if min(named) < size.honest:
        return f"members {', '.join(map(str, sorted(named)))}"
    return "the liar" if size.liars == 1 else f"{len(named)} of {size.liars} liars"


def when(named_after: int | None, size: SwarmSize) -> str:
    """In words that follow upon those of ``who``; none where one of the liars was not named in an exchange."""
    if named_after is None:
        return ""
    return f", {'' if size.liars == 1 else 'the last of them in '}exchange {named_after}"


def cells(what: str, mode: Mode, cost: Cost, honest: Cost, size: SwarmSize) -> tuple[str, ...]:
    """One line of the table."""
    return (
        what,
        mode,
        f"{cost.whole:.0%}",
        f"{cost.loss / honest.loss:.2f}",
        f"{cost.stalled:.1f} s",
        who(cost.named, size) + when(cost.named_after, size),
        "; ".join(cost.lost) or "nothing",
    )
