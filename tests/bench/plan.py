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
    "experts",
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


@dataclass(frozen=True)
class Plan:
    """``rounds`` is how often every kind of pair has its turn, of ``epochs`` measured ones each.

    In ``leavings`` of them one peer is seen to go. ``joinings`` is the number of pairs of volunteers. The
    window is started, paused and killed so often and watched for so long, as a fleet is; its ten minutes of events come
    ``window_times_faster``. Home lines are watched for ``line_rounds`` rounds, and for ``home_loss_seconds`` where
    losses are compared; of the other rows about local SGD, each has its number of rounds; a newcomer downloads a state
    of ``newcomer_numbers``, and GPT-2 trains for ``gpt2_rounds`` of two minutes. Experts are trained for
    ``expert_steps`` on each line.
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
    memory_rounds: int
    slow_peer_rounds: int
    root_rounds: int
    newcomer_numbers: int
    liar_rounds: int
    home_loss_seconds: float
    gpt2_rounds: int
    expert_steps: int

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


FULL = Plan(ROWS, 3, 7, 2, 5, 10.0, 8.0, 90 * 60.0, 7, 2, 3, 30.0, 10.0, 6, 3, 10, 30, 4_000_000, 12, 900.0, 5, 1200)
QUICK = Plan(ROWS, 1, 2, 1, 2, 6.0, 7.0, 60 * 60.0, 3, 1, 1, 10.0, 40.0, 2, 1, 3, 10, 2_500_000, 6, 100.0, 2, 40)
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
