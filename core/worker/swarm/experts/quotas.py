"""How much each peer may ask of a host: tokens a second, requests at the same time, and how often a state."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from core.worker.swarm.aggregation.recent_peers import RecentPeers

MAX_PEERS = 1024  # that are remembered; more must wait


@dataclass(frozen=True)
class HostLimits:
    """What a host agrees to do for others; tokens are counted once forward and once backward."""

    tokens_per_second: float = 50_000.0  # of one peer
    burst_tokens: float = 200_000.0
    pending: int = 64  # requests of all peers
    pending_of_peer: int = 32
    state_seconds: float = 4.0  # between two states of one expert for a peer, which asks again after five or more


class Quotas:
    """A token bucket and a count of unanswered requests for each authenticated peer; any thread may end one."""

    def __init__(self, limits: HostLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._left: dict[Hashable, tuple[float, float]] = {}  # tokens, and when that was so
        self._pending: Counter[Hashable] = Counter()
        self._states = RecentPeers[tuple[Hashable, Hashable], float]()  # when each peer was sent each expert's
        self._lock = threading.Lock()

    def admit(self, peer: Hashable, tokens: int) -> bool:
        """Whether a request of that peer with so many tokens may be computed; `end` it then."""
        limits = self._limits
        with self._lock:
            is_busy = self._pending.total() >= limits.pending or self._pending[peer] >= limits.pending_of_peer
            if is_busy or not self._take(peer, tokens):
                return False
            self._pending[peer] += 1
            return True

    def end(self, peer: Hashable) -> None:
        """A request of that peer has been answered, or taken back."""
        with self._lock:
            self._pending[peer] -= 1
            if self._pending[peer] <= 0:
                del self._pending[peer]

    def admit_state(self, peer: Hashable, expert: Hashable) -> bool:
        """Whether that peer may have that expert's state now; if so, the next one only after a pause."""
        now = self._clock()
        with self._lock:
            if now - self._states.get((peer, expert), -math.inf) < self._limits.state_seconds:
                return False
            self._states[peer, expert] = now
            return True

    def _take(self, peer: Hashable, tokens: int) -> bool:
        now, limits = self._clock(), self._limits
        if peer not in self._left and len(self._left) >= MAX_PEERS and not self._forget_idle(now):
            return False
        left = self._refilled(peer, now)
        has_enough = left >= tokens
        self._left[peer] = (left - tokens if has_enough else left, now)
        return has_enough and tokens <= limits.burst_tokens

    def _refilled(self, peer: Hashable, now: float) -> float:
        left, at = self._left.get(peer, (self._limits.burst_tokens, now))
        return min(self._limits.burst_tokens, left + (now - at) * self._limits.tokens_per_second)

    def _forget_idle(self, now: float) -> bool:
        """Forget the peers whose buckets are full again; whether there were any."""
        before = len(self._left)
        self._left = {
            peer: told for peer, told in self._left.items() if self._refilled(peer, now) < self._limits.burst_tokens
        }
        return len(self._left) < before
