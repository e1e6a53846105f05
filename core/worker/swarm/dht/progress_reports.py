"""What the peers of a run report of their progress, parsed once at the edge."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from hivemind.dht import DHT
from hivemind.p2p import PeerID
from msgspec.structs import replace

from core.protocol.peers import FleetHealth, PeerActivity, PeerPower, PeerSeen, Reason
from core.security.sanitize import sanitize_line
from core.worker.swarm.dht.reader import parse_record
from core.worker.swarm.dht.run_records import (
    MAX_REASON_CHARACTERS,
    METRICS,
    PROGRESS,
    ActivityRecord,
    DisclosureRecord,
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

    def as_seen(self, my_peer_id: str, info: PeerInfo | None = None) -> PeerSeen:
        """The report for the window, with what the peer says of itself for people."""
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
        )


@dataclass(frozen=True)
class PeerRecords:
    """What peers have published besides their progress, by subkey; ``norm_ratios`` others have measured, by peer id."""

    infos: Mapping[bytes, PeerInfo] = field(default_factory=dict)
    activities: Mapping[bytes, ActivityRecord] = field(default_factory=dict)
    powers: Mapping[bytes, PowerRecord] = field(default_factory=dict)
    disclosures: Mapping[bytes, DisclosureRecord] = field(default_factory=dict)
    norm_ratios: Mapping[str, float] = field(default_factory=dict)

    def seen(self, subkey: bytes, report: PeerReport, my_peer_id: str) -> PeerSeen:
        """The peer of that report, with all of this that is known of it."""
        activity, power = self.activities.get(subkey), self.powers.get(subkey)
        disclosure = self.disclosures.get(subkey)
        seen = report.as_seen(my_peer_id, self.infos.get(subkey))
        return replace(
            seen,
            activity=PeerActivity(**activity.dict()) if activity else PeerActivity(),
            power=PeerPower(**power.dict()) if power else None,
            country=disclosure.country if disclosure else "",
            norm_ratio=self.norm_ratios.get(seen.peer_id),
        )


def peers_in(dht: DHT, run_id: str, my_peer_id: str, also_ask: Iterable[str] = ()) -> tuple[PeerSeen, ...]:
    """Everybody who reports progress in a run; ``also_ask`` are peer ids."""
    return peers_of(PROGRESS.read(dht, run_id, also_ask), my_peer_id, PeerRecords())


def peers_of(progress: Mapping[bytes, ProgressRecord], my_peer_id: str, records: PeerRecords) -> tuple[PeerSeen, ...]:
    """Who has published these reports of progress, by subkey, with what else is known of them."""
    return tuple(records.seen(subkey, PeerReport.of(record), my_peer_id) for subkey, record in progress.items())


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
