"""Who hosts which expert as a trainer sees it: what the DHT says, and who answers."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from core.worker.experts.block import ExpertId
from core.worker.swarm.experts.announcements import LIFETIME_SECONDS, IsPeer, nobody
from core.worker.swarm.experts.latency import RetransmissionTimeout

FIRST_AWAY_SECONDS = 5.0  # until a host that has not answered is probed; twice as long each time
MOST_AWAY_SECONDS = 120.0
REFUSING_SECONDS = 10.0  # without one answer between refusals, after which a host is left out as one that is away
DISTRUSTED_SECONDS = 600.0  # the same, of a host that has answered what cannot be


@dataclass
class _Host:
    """A peer as a host: its experts, and how it has answered so far."""

    experts: frozenset[ExpertId]
    seen_at: float
    timeouts: dict[str, RetransmissionTimeout] = field(default_factory=lambda: defaultdict(RetransmissionTimeout))
    failures: int = 0
    is_away: bool = True
    probe_at: float = 0.0
    refusing_since: float = math.inf


class ExpertDirectory:
    """Chooses one host for each expert, and stays with it as long as it answers.

    Of several hosts that claim an expert, the one that was seen first is asked: another one's weights have learned
    nothing of what this one's have. A host that does not answer is left out at once; it is asked for an expert again
    once it has answered a probe, as is a host that is new. No training waits for probes.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._hosts: dict[str, _Host] = {}  # in the order in which they were first seen

    def see(self, announced: Mapping[str, frozenset[ExpertId]], is_barred: IsPeer = nobody) -> None:
        """Take note of what hosts announce at present.

        Who says nothing any more is believed for half a minute, and who ``is_barred`` from the run no longer.
        """
        now = self._clock()
        for peer, host in self._hosts.items():
            if peer in announced:
                host.experts, host.seen_at = announced[peer], now
            elif is_barred(peer) or now - host.seen_at > LIFETIME_SECONDS:
                host.experts = frozenset()
        kept = {peer: host for peer, host in self._hosts.items() if host.experts or host.probe_at > now}
        new = {peer: _Host(experts, now) for peer, experts in announced.items() if experts and peer not in kept}
        self._hosts = kept | new  # at once, for threads that look meanwhile

    def available(self, layer: int) -> Collection[int]:
        """The numbers of the experts of that layer that can be asked at present."""
        return sorted({each.number for host in self._present() for each in host.experts if each.layer == layer})

    def host_of(self, expert: ExpertId) -> str | None:
        """The peer id of whom to ask for that expert."""
        present = (peer for peer, host in self._hosts.items() if not host.is_away and expert in host.experts)
        return next(present, None)

    def hosts(self) -> tuple[str, ...]:
        """The peer ids of all that can be asked at present."""
        return tuple(peer for peer, host in self._hosts.items() if not host.is_away)

    def due_for_probe(self) -> tuple[str, ...]:
        """The peer ids of those that are away and may be back, or are new."""
        now = self._clock()
        return tuple(
            peer for peer, host in self._hosts.items() if host.is_away and host.experts and host.probe_at <= now
        )

    def came_back(self, peer: str) -> None:
        """That peer has answered a probe."""
        if (host := self._hosts.get(peer)) is not None:
            host.is_away = False

    def timeout(self, peer: str, kind: str) -> float:
        """How long to wait for an answer of that peer, in seconds; ``kind`` is that of the request."""
        return self._hosts[peer].timeouts[kind].seconds if peer in self._hosts else RetransmissionTimeout().seconds

    def answered(self, peer: str, kind: str, seconds: float) -> None:
        """That peer has answered in so many seconds."""
        if (host := self._hosts.get(peer)) is not None:
            host.timeouts[kind].see(seconds)
            host.failures, host.refusing_since = 0, math.inf

    def latency(self, peer: str) -> float | None:
        """How long that peer takes to answer a forward request, in seconds; ``None`` before it has answered one."""
        host = self._hosts.get(peer)
        known = None if host is None else host.timeouts.get("forward")
        return None if known is None else known.latency

    def failed(self, peer: str) -> None:
        """That peer has not answered, or not in time; many calls that fail together are one failure."""
        now = self._clock()
        if (host := self._hosts.get(peer)) is None or (host.is_away and host.probe_at > now):
            return
        host.is_away, host.probe_at = True, now + min(MOST_AWAY_SECONDS, FIRST_AWAY_SECONDS * 2**host.failures)
        host.failures += 1

    def refused(self, peer: str) -> None:
        """That peer has refused a request, as one that is busy does, or one that hosts nothing of what it claims."""
        if (host := self._hosts.get(peer)) is not None:
            now = self._clock()
            host.refusing_since = min(host.refusing_since, now)
            if now - host.refusing_since >= REFUSING_SECONDS:
                self.failed(peer)

    def distrust(self, peer: str) -> None:
        """That peer has answered what cannot be."""
        if (host := self._hosts.get(peer)) is not None:
            host.is_away, host.probe_at = True, self._clock() + DISTRUSTED_SECONDS

    def forget_claim(self, peer: str, expert: ExpertId) -> None:
        """That peer says that it does not host this expert, whatever the DHT says."""
        if (host := self._hosts.get(peer)) is not None:
            host.experts -= {expert}

    def _present(self) -> list[_Host]:
        return [host for host in self._hosts.values() if not host.is_away]
