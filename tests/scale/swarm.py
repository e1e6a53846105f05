"""The simulated swarm: volunteers come, download the state, compute, average in groups, and leave or vanish."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from random import Random

from tests.scale.event_queue import EventQueue
from tests.scale.exchange import Exchange, exchange
from tests.scale.world import (
    GHOST_MEMORY_SECONDS,
    GHOST_SECONDS,
    JOIN_SECONDS,
    MAX_GROUP,
    THREE_DONORS,
    Volunteer,
    World,
)

_BITS = 8


@dataclass
class Outcome:
    """What came of it; a round counts once for each of its groups. Seconds are summed over volunteers, bytes over all.

    ``useful_seconds`` are those of computing that was averaged, or is to be; ``present_seconds`` all those in which
    volunteers were there. ``parts`` are what members had to give in all groups, ``lost_parts`` what did not arrive
    whole. ``keeper_peak`` is in bits per second, while it exchanges.
    """

    rounds: int = 0
    whole: int = 0
    partial: int = 0
    failed: int = 0
    parts: int = 0
    lost_parts: int = 0
    present_seconds: float = 0.0
    useful_seconds: float = 0.0
    joining_seconds: list[float] = field(default_factory=list)
    exchange_seconds: list[float] = field(default_factory=list)
    sent_bytes: float = 0.0
    received_bytes: float = 0.0
    keeper_bytes: float = 0.0
    keeper_peak: float = 0.0

    @property
    def whole_share(self) -> float:
        """The share of the groups' rounds in which nothing was lost."""
        return self.whole / max(1, self.whole + self.partial + self.failed)

    @property
    def lost_share(self) -> float:
        """The share of what members had to give that did not arrive whole."""
        return self.lost_parts / max(1, self.parts)

    @property
    def utilisation(self) -> float:
        """The share of the volunteers' time in which they have computed for the run."""
        return self.useful_seconds / self.present_seconds


@dataclass(eq=False)
class _Peer:
    volunteer: Volunteer
    came_at: float
    leaves_at: float
    is_vanishing: bool
    is_ready: bool = False
    mark: float = 0.0  # of the swarm's clock of computing, when the last round ended or it was ready
    given: float = 0.0  # seconds of computing in the last round, which are averaged now


class Swarm:
    """One run for so many hours."""

    def __init__(self, world: World, seed: int = 1) -> None:
        self._world, self._random = world, Random(seed)
        self._events, self.outcome = EventQueue(), Outcome()
        self._peers: dict[_Peer, None] = {}
        self._ghosts: deque[float] = deque()
        self._epoch = 0
        self._is_computing = True
        self._clock = 0.0  # seconds in which the swarm has computed
        self._speed = 0.0  # samples/s of all who are ready
        self._busy_until = 0.0  # with the exchange of the last round
        self._accounted_at = self._done = 0.0
        self._target = world.volunteers * world.mean_speed * world.round_seconds
        self._keeper = world.keeper

    def live(self, hours: float) -> Outcome:
        """Everybody is there at the beginning; whoever leaves is replaced."""
        for _ in range(self._world.volunteers):
            self._come(is_first=True)
        self._events.run_until(hours * 3600)
        self._account()
        for peer in self._peers:
            self._count_time_of(peer)
            self.outcome.useful_seconds += self._computed_by(peer)
        return self.outcome

    def _come(self, *, is_first: bool = False) -> None:
        world, now = self._world, self._events.now
        session = float("inf")
        if world.session_seconds is not None:
            session = self._random.expovariate(1 / world.session_seconds)
        volunteer = world.volunteer(self._random)
        peer = _Peer(volunteer, now, now + session, self._random.random() < world.vanishing_share)
        self._peers[peer] = None
        if is_first:
            self._begin(peer)
        else:
            donors = THREE_DONORS * sum(world.volunteer(self._random).upload for _ in range(3)) / 3
            line = min(volunteer.download, donors)
            joining = JOIN_SECONDS + world.state_bytes * _BITS / line
            self.outcome.joining_seconds.append(joining)
            if joining < session:
                self._events.schedule(now + joining, lambda: self._begin(peer))
        if world.session_seconds is not None:
            self._events.schedule(peer.leaves_at, lambda: self._leave(peer))

    def _begin(self, peer: _Peer) -> None:
        self._account()
        peer.is_ready, peer.mark = True, self._clock
        self._speed += peer.volunteer.speed
        self._expect_end()

    def _leave(self, peer: _Peer) -> None:
        """What it has computed since the end of the last round is lost."""
        self._account()
        self._count_time_of(peer)
        del self._peers[peer]
        if peer.is_ready:
            self._speed -= peer.volunteer.speed
        if peer.is_vanishing:
            self._ghosts.append(self._events.now)
        self._come()
        self._expect_end()

    def _count_time_of(self, peer: _Peer) -> None:
        self.outcome.present_seconds += self._events.now - peer.came_at

    def _computed_by(self, peer: _Peer) -> float:
        """Seconds since the last round."""
        return self._clock - peer.mark if peer.is_ready else 0.0

    def _account(self) -> None:
        """Add what was computed since the last call; nobody computes while the swarm waits for an exchange."""
        passed, self._accounted_at = self._events.now - self._accounted_at, self._events.now
        if self._is_computing:
            self._clock += passed
            self._done += passed * self._speed

    def _expect_end(self) -> None:
        """Foresee when the round has its samples, as long as nobody else comes or goes."""
        if self._is_computing and self._speed > 0:
            self._account()
            self._epoch += 1
            expected, left = self._epoch, max(0.0, self._target - self._done)
            self._events.schedule(self._events.now + left / self._speed, lambda: self._end_round(expected))

    def _end_round(self, expected: int) -> None:
        """Let the groups average; with overlap the next round's computing has begun meanwhile."""
        if expected != self._epoch or not self._is_computing:
            return
        self._account()
        now, world = self._events.now, self._world
        if now < self._busy_until:  # the exchange of the last round is not over: everybody waits for it
            self._stand_still_until(self._busy_until)
            return
        self._done = 0.0
        self.outcome.rounds += 1
        for peer in self._peers:
            peer.given, peer.mark = self._computed_by(peer), self._clock
            self.outcome.useful_seconds += peer.given
        self._busy_until = self._average()
        if world.is_overlapped:
            self._expect_end()
        else:
            self._stand_still_until(self._busy_until)

    def _stand_still_until(self, end: float) -> None:
        self._is_computing = False

        def go_on() -> None:
            self._account()
            self._is_computing = True
            self._expect_end()

        self._events.schedule(end, go_on)

    def _average(self) -> float:
        """Form the groups of a round and let each exchange; when the last of them ends."""
        now = self._events.now
        while self._ghosts and self._ghosts[0] < now - GHOST_MEMORY_SECONDS:
            self._ghosts.popleft()
        peers = [peer for peer in self._peers if peer.is_ready]
        self._random.shuffle(peers)
        keeper = _Peer(self._keeper, 0.0, float("inf"), is_vanishing=False)
        members = [keeper, *peers]
        count = -(-len(members) // MAX_GROUP)
        groups = [members[number::count] for number in range(count)]
        haunted = {self._random.randrange(count) for _ in self._ghosts}
        return max(self._exchange_in(group, number in haunted) for number, group in enumerate(groups))

    def _exchange_in(self, group: list[_Peer], is_haunted: bool) -> float:
        now, world, outcome = self._events.now, self._world, self.outcome
        searching = world.matchmaking_seconds + (GHOST_SECONDS if is_haunted else 0.0)
        planned = exchange([peer.volunteer for peer in group], world.sent_bytes, world.mode)
        begins = now + searching
        if planned is None or len(group) == 1:
            outcome.failed += 1
            outcome.useful_seconds -= sum(peer.given for peer in group)
            return begins
        limits = [min(seconds, world.timeout_seconds) for seconds in planned.seconds]
        shares = [
            _share_of(peer, begins, seconds, limit)
            for peer, seconds, limit in zip(group, planned.seconds, limits, strict=True)
        ]
        lost = [number for number, share in enumerate(shares) if share < 1]
        outcome.whole += not lost
        outcome.partial += bool(lost)
        outcome.parts += len(group)
        outcome.lost_parts += len(lost)
        outcome.useful_seconds -= sum(group[number].given for number in lost)
        self._count_bytes(planned, shares, lost, is_keepers=group[0].volunteer is self._keeper, seconds=limits[0])
        lasted = max(limits) + (GHOST_SECONDS if any(group[number].is_vanishing for number in lost) else 0.0)
        outcome.exchange_seconds.append(lasted)
        return begins + lasted

    def _count_bytes(
        self, planned: Exchange, shares: list[float], lost: list[int], *, is_keepers: bool, seconds: float
    ) -> None:
        """Count what each member has sent and received: of a flow, the part before the first of both has left."""
        sent = [planned.moved(number) for number in range(len(shares))]
        received = list(sent)
        gone: set[int] = set()
        for one in sorted(lost, key=shares.__getitem__):
            gone.add(one)
            for other in range(len(shares)):
                if other not in gone:
                    missing = (1 - shares[one]) * planned.flow(one, other)
                    for number in (one, other):
                        sent[number] -= missing
                        received[number] -= missing
        self.outcome.sent_bytes += sum(sent)
        self.outcome.received_bytes += sum(received)
        if is_keepers:
            self.outcome.keeper_bytes += sent[0]
            if seconds > 0:
                self.outcome.keeper_peak = max(self.outcome.keeper_peak, sent[0] * _BITS / seconds)


def _share_of(peer: _Peer, begins: float, seconds: float, limit: float) -> float:
    """The share of its exchange that a member has done before it leaves, or the others go on without it."""
    if seconds <= limit and peer.leaves_at >= begins + seconds:
        return 1.0
    lasted = max(0.0, min(peer.leaves_at - begins, limit))
    return min(1.0, lasted / seconds) if seconds else 0.0
