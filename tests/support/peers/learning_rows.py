"""Small swarms that shall learn: what each is, and what came of it; ``learn`` lets them all train."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from core.run.manifest import RunManifest
from core.run.spec.data import SumsData
from core.run.spec.optimizer import AdamW
from tests.support.learning.member_costs import MemberCost
from tests.support.real_peers import PeerGroup, tiny

AGREED = 0.02  # of the way that members have come, as the distance between two of them
MEMBER_SAMPLES_PER_SECOND = 160.0
LIMIT_SECONDS = 800.0  # for all rows together
SCRIPT = "tests.support.peers.learning_peers"


NAMED_WITHIN = 3  # exchanges since the first lie, who lies grossly has to be
GradientLie = Literal[
    "huge", "flip", "flipped", "zero", "replayed", "initial", "noise", "drift", "reducer", "shape", "silent"
]
# of local SGD:
ChangeLie = Literal["huge", "flip", "flipped", "zero", "replayed", "drift", "reducer", "bent", "nan", "short", "silent"]
Claim = Literal["ahead", "untrained", "samples", "gather"]  # in both modes
Lie = GradientLie | ChangeLie | Claim


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A peer of a small swarm. A keeper holds the state and trains next to nothing.

    Who is ``late`` joins once the others are in epoch 2, and begins with their state. ``left_over_at``, if given, is
    the epoch in which it looks for a group to average parameters with once more, when nobody does; at the end of
    ``searches_at_end_of`` it has just begun to. ``diverges_at`` is the epoch in which its base weights of local SGD are
    changed by a little, as if its memory were wrong; in ``breaks_at`` those of its model become no numbers. At the end
    of ``misses_rounds_from`` it cannot begin the round, and again some epochs later, until it has come back from one
    early enough to keep what it had changed.
    With local SGD it ``sends_late`` by so many seconds in every round, as where a line is slow or a model large.
    From epoch ``lies_from`` on, or from the beginning where that must be, it tells the ``lie``: with local SGD as
    in `tests.support.learning.change_lies`, with averaged gradients as in `tests.support.learning.gradient_lies`,
    and in both modes as in `tests.support.learning.claim_lies`. Without ``has_organiser`` nobody's word is worth
    more than another's. ``audits`` is the chance by which it averages a part once more that another has averaged,
    and ``tries`` the number of peers whose changes it tries out in every round, where they are others than usual.
    What is to happen in an epoch that it passes over happens in the next one. Where it ``is_led``, the organiser
    publishes a signed manifest and a control value, and the others look for newer ones, as in every run that is
    published. ``python`` is the Python of another environment, which has another PyTorch; otherwise it is the
    environment of the tests.
    """

    manifest: RunManifest
    mode: Literal["direct", "client"] = "direct"
    keeps: bool = False
    late: bool = False
    left_over_at: int | None = None
    searches_at_end_of: int | None = None
    diverges_at: int | None = None
    breaks_at: int | None = None
    misses_rounds_from: int | None = None
    sends_late: float = 0.0
    samples_per_second: float = MEMBER_SAMPLES_PER_SECOND
    lies_from: int | None = None
    lie: Lie = "huge"
    has_organiser: bool = True
    audits: float | None = None
    tries: int | None = None
    is_led: bool = False
    python: str = ""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A small swarm, whose first member is its organiser; its honest members train for at least so many ``epochs``.

    ``keepers`` are the numbers of the members that the run names as such. It is given up after ``limit_seconds``, which
    a computer may need that does much else. Where ``costs_from`` is an epoch, what members cost is measured from then
    on; such a row is over when all members have ended the last epoch. Members arrive in the epochs before
    ``counted_from``: neither rounds nor stand-stills of those count. Until so many honest ones as ``awaited_names``
    have named a liar, or heard of one, and until who misses rounds has kept what it changed, a row goes on for some
    epochs: on a busy computer, liars miss rounds as well. With ``gradient_epochs`` parameters are compared where for so
    many epochs nothing but gradients was averaged.
    """

    name: str
    members: tuple[Member, ...]
    epochs: int
    keepers: tuple[int, ...] = ()
    limit_seconds: float = 400.0
    costs_from: int | None = None
    awaited_names: int = 0
    counted_from: int = 1
    gradient_epochs: int = 0

    def honest(self) -> tuple[int, ...]:
        """The numbers of the members that never lie."""
        return tuple(number for number, member in enumerate(self.members) if member.lies_from is None)


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a row; lists have one entry for each member.

    ``losses`` are on held-out samples, of the untrained model first and then after every epoch. ``distance`` is how
    far the honest members' parameters are apart at the first of the last epochs that all have ended (with local SGD,
    after the same outer steps), as a share of the distance that they have come; ``None`` where there is none.
    ``moved`` is by how much their last averaging moved each of them, as such a share. ``caught_up`` counts the rounds
    of others that each has replayed, ``kept`` how often it kept what it had changed, ``downloads`` the states that
    each has downloaded, ``parts_fetched`` of how many parts such a state was and how many of them came from donors,
    and ``repaired`` its micro-batches, at the most, while it looked for the right base weights.
    ``outliers`` are the numbers of the members that each has named as such, or has heard from the organiser or a keeper
    to be found out, so that it averages with them no more; ``named_after`` says of each liar, in the order of the
    row's, in which of its exchanges with liars, from 1, each member has named that one first, if in any. ``steps`` is
    how many each took in a round at the most, ``counted`` in how many of its rounds what it had changed counted.
    ``whole`` is the share of each one's rounds, of the epochs that count, in which all honest members were, and
    ``stalled`` for how many seconds it stood still at the most after that. ``shared_numbers`` is how many numbers all
    have in common, those that are averaged; ``round_bytes`` is the size of the average of one round of local SGD, as
    the first member has received and kept it. ``trials`` are those that each has made of what each member had changed:
    by which share the held-out loss has changed. ``least_shares`` is how far what each had changed counted in the
    averages, at the least. ``costs`` are those of each member, where they were measured, and ``round_seconds`` how long
    its rounds took that were averaged. ``torch`` is the version of PyTorch that each has, with its build.
    """

    row: str
    losses: list[list[float]]
    epochs: list[int]
    rounds: list[list[str]]
    failures: list[str]
    seconds: float
    distance: float | None = None
    moved: list[float] = []
    caught_up: list[int] = []
    kept: list[int] = []
    downloads: list[int] = []
    parts_fetched: list[list[tuple[int, int]]] = []
    repaired: list[int] = []
    outliers: list[list[int]] = []
    named_after: list[list[int | None]] = []
    steps: list[int] = []
    counted: list[int] = []
    whole: list[float] = []
    stalled: list[float] = []
    shared_numbers: int = 0
    round_bytes: int = 0
    trials: list[list[list[float]]] = []
    least_shares: list[float] = []
    costs: list[MemberCost] = []
    round_seconds: list[list[float]] = []
    torch: list[str] = []

    def is_named_soon(self) -> bool:
        """Whether each liar was named by some member within `NAMED_WITHIN` of its exchanges since the first lie."""
        after = self.last_named_after()
        return after is not None and after <= NAMED_WITHIN

    def last_named_after(self, honest: int | None = None) -> int | None:
        """The number of exchanges in which the last of the liars had been named by one of the first members.

        These are the first so many, or all. Whoever of them named a liar first counts; ``None`` where nobody has named
        one of the liars.
        """
        of_liars = zip(*self.named_after[:honest], strict=True)
        firsts = [min((each for each in numbers if each is not None), default=None) for numbers in of_liars]
        named = [each for each in firsts if each is not None]
        return max(named) if named and len(named) == len(firsts) else None

    def remaining_loss(self, member: int) -> float:
        """The loss at the end as a share of that of the untrained model."""
        first, *_, last = self.losses[member]
        return last / first


def small_run(**collaboration: Any) -> RunManifest:
    """An epoch of two members lasts two seconds, longer than it takes to meet.

    Sums of one digit would soon be known by heart, and the loss on unseen ones rises from then on.
    """
    numbers: dict[str, Any] = {"target_batch_size": 640, "batch_size_per_step": 16, "matchmaking_time": 1.0}
    return msgspec.structs.replace(tiny(**(numbers | collaboration)), data=SumsData(digits=2))


def local_sgd_run(learning_rate: float = 5e-4, **collaboration: Any) -> RunManifest:
    """A round is twenty steps of each of two members."""
    run = small_run(mode="local-sgd", **collaboration)
    return msgspec.structs.replace(run, optimizer=AdamW(learning_rate=learning_rate))


def learn(
    group: PeerGroup, rows: tuple[Row, ...], side_by_side: int, seconds: float = LIMIT_SECONDS
) -> dict[str, Outcome]:
    """Let the rows train, so many at a time and no longer; the outcomes by the names of their rows."""
    folder = Path(group.folder) / "rows"
    folder.mkdir()
    (folder / "rows.json").write_bytes(msgspec.json.encode(rows))
    script = group.script("learning", SCRIPT, str(folder), str(side_by_side))
    assert script.ended(seconds) == 0, script.account()
    said: list[dict[str, Any]] = script.said
    outcomes = msgspec.convert(said, list[Outcome])
    return {outcome.row: outcome for outcome in outcomes}
