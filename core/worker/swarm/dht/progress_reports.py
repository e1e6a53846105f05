"""What the peers of a run report of their progress, parsed once at the edge."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from hivemind.dht import DHT
from hivemind.p2p import PeerID

from core.protocol.peers import FleetHealth, PeerActivity, PeerPower, PeerSeen, Reason
from core.security.sanitize import sanitize_line
from core.worker.swarm.dht.reader import parse_record
from core.worker.swarm.dht.run_records import (
    MAX_REASON_CHARACTERS,
    METRICS,
    PROGRESS,
    ActivityRecord,
    HealthRecord,
    LocalMetrics,
    PeerInfo,
    PowerRecord,
    ProgressRecord,
)

MOST_REASONS = 8  # that are told
_peer_id = lru_cache(maxsize=4096)(PeerID)  # its constructor encodes the id in base58, which takes its time


@dataclass(frozen=True)
class PeerReport:
    """One peer's progress at a ``time``, in seconds since 1970; ``samples`` are those of its ``epoch``."""

    peer_id: PeerID
    epoch: int
    samples: int
    samples_per_second: float
    time: float
    client_mode: bool

    @classmethod
    def parse(cls, value: object) -> PeerReport | None:
        """What a stranger reports; ``None`` for what no peer could send."""
        record = parse_record(ProgressRecord, value)
        return None if record is None else cls.of(record)

    @classmethod
    def of(cls, record: ProgressRecord) -> PeerReport:
        """The report in a record that has been validated."""
        return cls(
            _peer_id(record.peer_id),
            record.epoch,
            record.samples_accumulated,
            record.samples_per_second,
            record.time,
            record.client_mode,
        )

    def as_seen(
        self,
        my_peer_id: str,
        info: PeerInfo | None = None,
        activity: ActivityRecord | None = None,
        norm_ratios: Mapping[str, float] = MappingProxyType({}),
        power: PowerRecord | None = None,
    ) -> PeerSeen:
        """The report for the window, with what the peer says of itself, and what others have measured."""
        peer_id = self.peer_id.to_base58()
        return PeerSeen(
            peer_id=peer_id,
            epoch=self.epoch,
            samples=self.samples,
            samples_per_second=self.samples_per_second,
            client_mode=self.client_mode,
            is_me=peer_id == my_peer_id,
            name=info.name if info else "",
            device=info.device if info else "",
            activity=PeerActivity(**activity.dict()) if activity else PeerActivity(),
            norm_ratio=norm_ratios.get(peer_id),
            power=PeerPower(**power.dict()) if power else None,
        )


def peers_in(dht: DHT, run_id: str, my_peer_id: str, also_ask: Iterable[str] = ()) -> tuple[PeerSeen, ...]:
    """Everybody who reports progress in a run; ``also_ask`` are peer ids."""
    return peers_of(PROGRESS.read(dht, run_id, also_ask), my_peer_id)


def peers_of(
    progress: Mapping[bytes, ProgressRecord],
    my_peer_id: str,
    infos: Mapping[bytes, PeerInfo] = MappingProxyType({}),
    activities: Mapping[bytes, ActivityRecord] = MappingProxyType({}),
    norm_ratios: Mapping[str, float] = MappingProxyType({}),
    powers: Mapping[bytes, PowerRecord] = MappingProxyType({}),
) -> tuple[PeerSeen, ...]:
    """Who has published these records, by subkey, with what they say of themselves, where that is known.

    ``norm_ratios`` are what others have measured of them, by peer id.
    """
    return tuple(
        PeerReport.of(record).as_seen(
            my_peer_id, infos.get(subkey), activities.get(subkey), norm_ratios, powers.get(subkey)
        )
        for subkey, record in progress.items()
    )


def health_of(
    records: Mapping[bytes, HealthRecord], progress: Mapping[bytes, ProgressRecord], organiser: str
) -> FleetHealth:
    """What those who report progress tell of what goes wrong, by subkey; ``organiser`` is a peer id."""
    telling = [(record, progress[subkey]) for subkey, record in records.items() if subkey in progress]
    reasons = Counter(sanitize_line(record.reason, MAX_REASON_CHARACTERS) for record, _ in telling if record.reason)
    dialled = (record for record, of in telling if PeerReport.of(of).peer_id.to_base58() == organiser)
    posted = next(dialled, HealthRecord())
    return FleetHealth(
        reasons=tuple(Reason(words=words, peers=peers) for words, peers in reasons.most_common(MOST_REASONS)),
        reached=posted.reached,
        unreached=posted.unreached,
    )


def swarm_loss(dht: DHT, run_id: str, also_ask: Iterable[str] = ()) -> float | None:
    """The mean loss of all micro-batches that peers report; ``None`` if none do."""
    return mean_loss(METRICS.read(dht, run_id, also_ask).values())


def mean_loss(reported: Iterable[LocalMetrics]) -> float | None:
    """The mean loss of all micro-batches of these reports; ``None`` if there are none."""
    weights, total = 0, 0.0
    for metrics in reported:
        if math.isfinite(metrics.loss) and metrics.mini_steps > 0:
            weights, total = weights + metrics.mini_steps, total + metrics.loss
    return total / weights if weights else None
