"""How far we are ahead of the others: who was killed does not count, although its report lives on for a minute."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hivemind.p2p import PeerID

from core.security.identity import Identity
from core.worker.network import swarm_peers
from core.worker.network.connection_monitor import Observation
from core.worker.network.swarm_peers import SwarmPeers
from core.worker.swarm import Swarm, SwarmOptimizer
from core.worker.swarm.dht.progress_reports import PeerReport
from core.worker.swarm.progress.liveness import Liveness
from core.worker.swarm.progress.swarm_statistics import SwarmStatistics
from tests.worker.training.test_contribution_status import monitor_of

OURS = 17


def peer_id() -> PeerID:
    """Of a new identity."""
    return PeerID.from_base58(Identity.create().peer_id)


def report(epoch: int, *, client_mode: bool = False) -> PeerReport:
    """Of a peer that is in that epoch."""
    return PeerReport(peer_id(), epoch, 0, 1.0, 0.0, client_mode)


def observed(
    monkeypatch: pytest.MonkeyPatch, others: list[PeerReport], connected: list[PeerReport], averaged: str = ""
) -> Observation:
    """What is seen where these others have reported; the list of p2pd's connections is a stand-in.

    ``averaged`` has a ``+`` for each epoch that we have averaged with somebody, ``-`` for each other one.
    """
    addresses = tuple(f"/ip4/127.0.0.1/tcp/1/p2p/{each.peer_id.to_base58()}" for each in connected)
    monkeypatch.setattr(swarm_peers, "connected_addresses", lambda _dht, _peers: addresses)
    tracker: Any = SimpleNamespace(
        others={bytes([number]): each for number, each in enumerate(others)},
        reports={},
        local_progress=SimpleNamespace(epoch=OURS),
        liveness=Liveness(60.0, 1.0),
        dht=SimpleNamespace(peer_id=peer_id()),
    )
    tracker.statistics = SwarmStatistics(tracker)
    swarm, optimizer = SimpleNamespace(mode="direct", dht=None), SimpleNamespace(tracker=tracker)
    rounds = monitor_of(averaged)
    return SwarmPeers(cast(Swarm, swarm), cast(SwarmOptimizer, optimizer), rounds).observe()


def observed_lead(monkeypatch: pytest.MonkeyPatch, others: list[PeerReport], connected: list[PeerReport]) -> int:
    """By how many epochs we are ahead."""
    return observed(monkeypatch, others, connected).epochs_ahead


def test_epochs_that_were_averaged_with_somebody_were_not_passed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    behind = [report(12)]
    in_company = observed(monkeypatch, behind, behind, averaged="+" * OURS)
    assert (in_company.epochs_ahead, in_company.epochs_alone) == (5, 1)
    cut_off = observed(monkeypatch, behind, behind, averaged="+++++++++++++---")
    assert (cut_off.epochs_ahead, cut_off.epochs_alone) == (5, 5)


def test_we_are_ahead_of_the_first_of_those_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [report(12), report(15)]
    assert observed_lead(monkeypatch, others, others) == 2


def test_the_report_of_a_peer_that_was_killed_is_no_reason_to_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    assert observed_lead(monkeypatch, [report(15)], []) == 0
    newcomer = report(OURS)
    assert observed_lead(monkeypatch, [report(15), newcomer], [newcomer]) == 0


def test_a_client_cannot_be_who_the_others_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    assert observed_lead(monkeypatch, [report(3, client_mode=True)], []) == 0
