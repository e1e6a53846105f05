"""What is made of announcements in the DHT: those of a run's experts count, and nobody hears of any others."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest
import torch

from core.run.spec.experts import ExpertsSpec
from core.security.identity import Identity
from core.worker.experts.block import ExpertId
from core.worker.experts.router import Router
from core.worker.swarm.experts import announcements
from core.worker.swarm.experts.announcements import Announcement, Hosted, announced_experts, sign_announcement
from core.worker.swarm.experts.directory import ExpertDirectory

RUN_ID, HIDDEN = "experts", 8
SPEC = ExpertsSpec(experts=8)
EXPERTS = [ExpertId(1, number) for number in range(SPEC.experts)]
HOST = Identity.create()
DHT: Any = None  # nothing is asked of it


def announce(monkeypatch: pytest.MonkeyPatch, told: Mapping[Identity, Announcement]) -> None:
    """Have the DHT hold these announcements."""
    values = [(host.peer_id, sign_announcement(each, host)) for host, each in told.items()]
    monkeypatch.setattr(announcements, "peer_values", lambda *_: iter(values))


def announced(*numbers: int, layer: int = 1) -> Announcement:
    """Experts that have taken seven steps each, and are copied, too."""
    experts, copies = [(layer, each, 7, 70) for each in numbers], [(layer, each, 6) for each in numbers]
    return Announcement(run_id=RUN_ID, at=time.time(), experts=tuple(experts), copies=tuple(copies))


@pytest.mark.parametrize(("layer", "number"), [(1, 8), (1, 1000), (3, 0)])
def test_an_expert_that_the_run_does_not_have_is_neither_asked_nor_copied(
    layer: int, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(monkeypatch, {HOST: announced(2), Identity.create(): announced(number, layer=layer)})
    found = announced_experts(DHT, RUN_ID, EXPERTS)
    expert = ExpertId(1, 2)
    assert found.pop(HOST.peer_id) == Hosted({expert: 7}, {expert: 6}, {expert: 70})
    assert list(found.values()) == [Hosted({})]


def test_a_trainer_routes_on_whatever_a_stranger_announces(monkeypatch: pytest.MonkeyPatch) -> None:
    announce(monkeypatch, {HOST: announced(2, 1000)})
    directory = ExpertDirectory()
    directory.see({host: frozenset(each.experts) for host, each in announced_experts(DHT, RUN_ID, EXPERTS).items()})
    directory.came_back(HOST.peer_id)
    routing = Router(HIDDEN, SPEC)(torch.ones(3, HIDDEN), directory.available(1))
    assert routing.chosen.tolist() == [[2]] * 3
