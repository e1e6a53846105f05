"""What a fault of one of two peers costs, ours and bare hivemind's: by the peers and faults of the tests."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, get_args

from core.protocol.events import AnyEvent, Progress, Published, RoundFinished
from tests.bench.peers.pair import Kind, bare_words
from tests.bench.peers.peer_process import pinned
from tests.bench.setup import Ground, NotMeasured, told_as_not_measured
from tests.support.environment.network_namespaces import Host, internet, why_not
from tests.support.fault_injection import Cost, Fault, cut, freeze, gave, kill
from tests.support.real_peers import LineProcess, PeerGroup, peer_group, worker_of

FaultName = Literal["crash", "sleep", "cut"]
FAULTS: tuple[FaultName, ...] = get_args(FaultName)
Way = Literal["direct", "client", "default", "overlap"]
"""A volunteer of ours, connected in that way, or a bare script in one of its modes."""

WAYS: dict[FaultName, tuple[Way, ...]] = {
    "crash": ("direct", "client", "default", "overlap"),
    "sleep": ("client", "default", "overlap"),
    "cut": ("direct", "client", "default", "overlap"),
}
OURS: tuple[Way, ...] = ("direct", "client")
SLEEP_SECONDS = 60.0
CUT_SECONDS = 30.0
WATCHED_SECONDS = 75.0  # after its end: the others count a peer that was killed for sixty
SETTLED_ROUNDS = 2

Peers = tuple[LineProcess[AnyEvent], LineProcess[AnyEvent]]


@dataclass
class FaultsMeasured:
    """What each fault has cost, by the way in which the one that it befell took part."""

    costs: dict[FaultName, dict[Way, Cost]] = field(default_factory=lambda: {name: {} for name in FAULTS})


def fault_deeds(name: FaultName, ground: Ground, measured: FaultsMeasured) -> dict[Way, Callable[[], Cost]]:
    """How it is measured in each way; it gives the figures, and notes them down."""

    def measure(way: Way) -> Cost:
        measured.costs[name][way] = _live(name, way, ground)
        return measured.costs[name][way]

    return {way: partial(measure, way) for way in WAYS[name]}


def _live(name: FaultName, way: Way, ground: Ground) -> Cost:
    """Two peers that have settled, the fault, and what comes of it; nothing is left of them afterwards."""
    if name == "cut" and (reason := why_not()):
        raise NotMeasured(reason)
    ground.limit(WATCHED_SECONDS)
    with told_as_not_measured(), contextlib.ExitStack() as ends:
        group = ends.enter_context(peer_group(ground.folder / f"{name}-{way}"))
        if name != "cut":
            return _suffer(name, way, _peers(way, ground, group, group))
        net = ends.enter_context(internet())
        here, there = net.host(), net.host()
        return _suffer(name, way, _peers(way, ground, group.at(there), group.at(here)), here)


def _peers(way: Way, ground: Ground, there: PeerGroup, here: PeerGroup) -> Peers:
    """The first one and the one that comes to it, each on its cores."""
    if way == "direct" or way == "client":
        with pinned(ground.cores[0]):
            organiser = there.organiser(manifest=ground.manifest)
        with pinned(ground.cores[1]):
            return organiser, here.client(organiser.posted, "volunteer", way)
    kind: Kind = "default" if way == "default" else "overlap"
    with pinned(ground.cores[0]):
        first = _bare_peer("bare-1", there, bare_words(kind, ground, listen=there.listen))
    addresses = first.wait_for(Published).addresses
    with pinned(ground.cores[1]):
        return first, _bare_peer("bare-2", here, bare_words(kind, ground, addresses, here.listen))


def _bare_peer(name: str, group: PeerGroup, words: list[str]) -> LineProcess[AnyEvent]:
    peer = group.other_peer(name, "tests.bench.peers.bare_peer", *words)
    peer.wait_for(Progress)
    return peer


def _suffer(name: FaultName, way: Way, peers: Peers, host: Host | None = None) -> Cost:
    """In the middle of an epoch, the second one does; a client starts its worker again, nobody a script."""
    first, second = peers
    for _ in range(SETTLED_ROUNDS):
        second.wait_for(RoundFinished, gave, since=len(second.said))
    epoch = first.all(Progress)[-1].epoch
    first.wait_for(Progress, lambda event: event.epoch > epoch and 2 * event.samples > event.target)
    fault = Fault(second, first)
    if name == "sleep":
        freeze(second.family, SLEEP_SECONDS)
    elif host is not None:
        cut(host, CUT_SECONDS)
    else:
        kill([worker_of(second)] if way in OURS else second.family)
    fault.over()
    return fault.cost_within(WATCHED_SECONDS)
