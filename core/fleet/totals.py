"""Counts and sums over the peers of a fleet: by device, by version, the epoch, and how long it still takes.

All of it is what the peers say of themselves. A liar may add samples; its speed is capped by that of the others (see
`believed`), and it moves the epoch only where liars are most.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import msgspec

from core.countries import COUNTRIES
from core.fleet.snapshot import FleetTotals, Group
from core.protocol.peers import PeerSeen
from core.security.sanitize import sanitize_line
from core.security.speed_limits import SpeedLimits

MOST_GROUPS = 12  # that are told by name
OTHERS, UNKNOWN = "others", "unknown"
MOST_SECONDS = 30 * 86_400.0  # of an estimate of an epoch; more says nothing
MOST_RUN_SECONDS = 3650 * 86_400.0  # of an estimate of a run


def believed(peers: Sequence[PeerSeen]) -> tuple[PeerSeen, ...]:
    """The peers with no higher speed than those who take part in the run believe, see `SpeedLimits`."""
    limits = SpeedLimits(peer.samples_per_second for peer in peers)
    return tuple(_capped(peer, limits.limit(peer.samples_per_second)) for peer in peers)


def _capped(peer: PeerSeen, limit: float) -> PeerSeen:
    if peer.samples_per_second <= limit:
        return peer
    return msgspec.structs.replace(peer, samples_per_second=limit)


def totals_of(peers: Sequence[PeerSeen], untold: int = 0) -> FleetTotals:
    """The sums over these peers, of which so many more were not told."""
    outgoing = sum(peer.client_mode for peer in peers)
    telling = [peer.activity for peer in peers if peer.activity.is_told]
    return FleetTotals(
        peers=len(peers) + untold,
        direct=len(peers) - outgoing,
        outgoing=outgoing,
        stragglers=len(stragglers_of(peers, epoch_of(peers))),
        samples_per_second=sum(peer.samples_per_second for peer in peers),
        devices=_groups(peers, lambda peer: peer.device),
        versions=_groups(peers, lambda peer: peer.activity.version),
        countries=_groups([peer for peer in peers if peer.country in COUNTRIES], lambda peer: peer.country),
        telling=len(telling),
        whole_rounds=sum(each.whole for each in telling),
        partial_rounds=sum(each.partial for each in telling),
        failed_rounds=sum(each.failed for each in telling),
        sent_bytes=sum(each.sent_bytes for each in telling),
        received_bytes=sum(each.received_bytes for each in telling),
    )


def epoch_of(peers: Sequence[PeerSeen]) -> int | None:
    """The epoch that most peers report, the later one of two; ``None`` without any peer."""
    epochs = Counter(peer.epoch for peer in peers)
    return max(epochs, key=lambda epoch: (epochs[epoch], epoch), default=None)


def stragglers_of(peers: Sequence[PeerSeen], epoch: int | None) -> frozenset[str]:
    """The ids of those who report an earlier epoch: they load a state or have lost the others, and add no samples."""
    return frozenset(peer.peer_id for peer in peers if epoch is not None and peer.epoch < epoch)


def run_ends_in(
    epochs: int | None, epoch: int | None, epoch_ends_in: float | None, rate: float, target: int
) -> float | None:
    """In how many seconds the last of ``epochs`` ends, at ``rate`` samples/s and ``target`` samples an epoch.

    ``None`` where the run has no last epoch, or nobody knows when the present one ends. It is the time of computing
    alone: rounds that training waits for are not counted.
    """
    if epochs is None or epoch is None or epoch_ends_in is None or rate <= 0:
        return None
    seconds = epoch_ends_in + max(0, epochs - 1 - epoch) * target / rate
    return seconds if epoch < epochs and seconds < MOST_RUN_SECONDS else None


def progress_of(peers: Sequence[PeerSeen], epoch: int | None, target: int) -> tuple[int, float | None]:
    """The samples of that epoch, at most the target, and in how many seconds it is reached, if anybody knows."""
    there = [peer for peer in peers if peer.epoch == epoch]
    samples = min(target, sum(peer.samples for peer in there))
    rate = sum(peer.samples_per_second for peer in there)
    seconds = (target - samples) / rate if rate > 0 else None
    return samples, seconds if seconds is not None and seconds < MOST_SECONDS else None


def _groups(peers: Sequence[PeerSeen], name_of: Callable[[PeerSeen], str]) -> tuple[Group, ...]:
    """The largest groups first; the small ones of very many are one."""
    counts, rates = Counter[str](), defaultdict[str, float](float)
    for peer in peers:
        counts[name_of(peer)] += 1
        rates[name_of(peer)] += peer.samples_per_second
    order = sorted(counts, key=lambda name: (-counts[name], name))
    told = [_group(sanitize_line(name) or UNKNOWN, [name], counts, rates) for name in order[:MOST_GROUPS]]
    rest = order[MOST_GROUPS:]
    return (*told, *([_group(OTHERS, rest, counts, rates)] if rest else []))


def _group(name: str, members: Sequence[str], counts: Counter[str], rates: dict[str, float]) -> Group:
    peers, rate = sum(counts[each] for each in members), sum(rates[each] for each in members)
    return Group(name=name, peers=peers, samples_per_second=rate)
