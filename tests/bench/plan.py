"""What one bench measures, how often and for how long."""

from __future__ import annotations

from dataclasses import dataclass, replace

ROWS = (
    "contributed",
    "standstill",
    "join",
    "leave",
    "others",
    "memory",
    "crash",
    "sleep",
    "cut",
    "confinement",
    "defences",
    "home_line",
    "line_codecs",
    "home_loss",
    "upload_limit",
    "gpu_pacing",
    "gpu_yield",
    "codec",
    "local_sgd_memory",
    "slow_peer",
    "roots",
    "newcomer",
    "gpt2",
    "liars",
    "gradient_liars",
    "crowd",
    "experts",
    "experts_kill",
    "experts_cut",
    "experts_memory",
    "fleet",
    "steering",
    "window_start",
    "window_memory",
    "window_cpu",
    "window_rules",
    "window_block",
    "window_pause",
    "window_login",
    "wayland_start",
    "wayland_memory",
)
_OF_TRAINING = frozenset({"contributed", "standstill"})
_OF_LEAVING = frozenset({"leave", "others", "memory"})
_OF_FAULTS = frozenset({"crash", "sleep", "cut"})
_OF_WINDOW_PEERS = frozenset({"window_pause", "window_login"})
_OF_PEERS = _OF_TRAINING | _OF_LEAVING | _OF_FAULTS | _OF_WINDOW_PEERS | {"join", "confinement", "defences"}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """``rounds`` is how often every kind of pair has its turn, of ``epochs`` measured ones each.

    In ``leavings`` of them one peer is seen to go. ``joinings`` is the number of pairs of volunteers. The
    window is started, paused and killed so often and watched for so long, as a fleet is; its ten minutes of events come
    ``window_times_faster``. Home lines are watched for ``line_rounds`` rounds of each of the two, for ``codec_rounds``
    with each other codec, and for ``home_loss_seconds`` where losses are compared; of the other rows about local SGD,
    each has its number of rounds; a newcomer downloads a state of ``newcomer_numbers``, and GPT-2 trains for
    ``gpt2_rounds`` of two minutes. Experts are trained for ``expert_steps``, and a host is
    watched for ``expert_seconds``. Crowds have ``crowd_sizes`` volunteers, in epochs of
    ``crowd_epoch_seconds``.
    """

    rows: tuple[str, ...]
    rounds: int
    epochs: int
    leavings: int
    joinings: int
    plain_seconds: float
    epoch_seconds: float
    limit_seconds: float
    window_starts: int
    window_pauses: int
    window_logins: int
    window_seconds: float
    window_times_faster: float
    line_rounds: int
    codec_rounds: int
    memory_rounds: int
    slow_peer_rounds: int
    root_rounds: int
    newcomer_numbers: int
    liar_rounds: int
    home_loss_seconds: float
    gpt2_rounds: int
    expert_steps: int
    expert_seconds: float
    crowd_sizes: tuple[int, ...]
    crowd_epoch_seconds: float

    @property
    def wants_peers(self) -> bool:
        """Whether any row needs peers, and so their speed."""
        return bool(_OF_PEERS.intersection(self.rows))

    @property
    def wants_x11(self) -> bool:
        """Whether any row is about the window on an X server."""
        return any(row.startswith("window_") for row in self.rows)

    @property
    def wants_wayland(self) -> bool:
        """Whether any row is about the window on a Wayland compositor."""
        return any(row.startswith("wayland_") for row in self.rows)

    @property
    def wants_window(self) -> bool:
        """Whether any row is about the window, which needs a screen."""
        return self.wants_x11 or self.wants_wayland

    @property
    def wants_training(self) -> bool:
        """Whether pairs are wanted even where none is seen to go."""
        return bool(_OF_TRAINING.intersection(self.rows))

    @property
    def wants_pairs(self) -> bool:
        """Whether any row needs two peers that train together."""
        return self.wants_training or bool(_OF_LEAVING.intersection(self.rows))

    @property
    def wants_plain(self) -> bool:
        """Whether the plain loops between the pairs are needed."""
        return "contributed" in self.rows


FULL = Plan(
    rows=ROWS,
    rounds=3,
    epochs=7,
    leavings=2,
    joinings=5,
    plain_seconds=10.0,
    epoch_seconds=8.0,
    limit_seconds=90 * 60.0,
    window_starts=7,
    window_pauses=2,
    window_logins=3,
    window_seconds=30.0,
    window_times_faster=10.0,
    line_rounds=10,
    codec_rounds=3,
    memory_rounds=3,
    slow_peer_rounds=10,
    root_rounds=30,
    newcomer_numbers=4_000_000,
    liar_rounds=12,
    home_loss_seconds=900.0,
    gpt2_rounds=5,
    expert_steps=3000,
    expert_seconds=3600.0,
    crowd_sizes=(8, 16, 32, 48),
    crowd_epoch_seconds=120.0,
)
QUICK = Plan(
    rows=ROWS,
    rounds=1,
    epochs=2,
    leavings=1,
    joinings=2,
    plain_seconds=6.0,
    epoch_seconds=7.0,
    limit_seconds=60 * 60.0,
    window_starts=3,
    window_pauses=1,
    window_logins=1,
    window_seconds=10.0,
    window_times_faster=40.0,
    line_rounds=2,
    codec_rounds=1,
    memory_rounds=1,
    slow_peer_rounds=3,
    root_rounds=10,
    newcomer_numbers=2_500_000,
    liar_rounds=6,
    home_loss_seconds=100.0,
    gpt2_rounds=2,
    expert_steps=40,
    expert_seconds=60.0,
    crowd_sizes=(4,),
    crowd_epoch_seconds=120.0,
)
ROOT_SECONDS = 10.0  # a round in which peers come and go, at the most


def plan_for(rows: tuple[str, ...], *, is_quick: bool, root_rounds: int | None = None) -> Plan:
    """The full or the quick plan, without what those rows do not need; with so many rounds for equal base weights."""
    plan = replace(QUICK if is_quick else FULL, rows=rows)
    if root_rounds is not None:
        seconds = plan.limit_seconds + ROOT_SECONDS * root_rounds
        plan = replace(plan, root_rounds=root_rounds, limit_seconds=seconds)
    if not _OF_LEAVING.intersection(rows):
        plan = replace(plan, leavings=0)
    if not _OF_TRAINING.intersection(rows):
        plan = replace(plan, rounds=plan.leavings, epochs=1)
    return plan
