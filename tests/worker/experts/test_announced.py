"""What is made of announcements in the DHT: those of a run's experts count, and of peers that are let in."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from core.run.spec.experts import ExpertsSpec
from core.security.identity import Identity
from core.worker.experts.block import ExpertId
from core.worker.experts.calls import ExpertInput
from core.worker.experts.router import Router
from core.worker.swarm.experts import announcements, caller
from core.worker.swarm.experts.announcements import (
    Announcement,
    Hosted,
    announced_experts,
    nobody,
    sign_announcement,
)
from core.worker.swarm.experts.caller import ExpertCaller
from core.worker.swarm.experts.directory import REFUSING_SECONDS, ExpertDirectory
from core.worker.swarm.experts.messages import Refusal, ReplyHeader, reply
from core.worker.swarm.experts.server import ExpertServer
from tests.support.computer.fake_clock import FakeClock

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
    found = announced_experts(DHT, RUN_ID, EXPERTS, nobody)
    expert = ExpertId(1, 2)
    assert found.pop(HOST.peer_id) == Hosted({expert: 7}, {expert: 6}, {expert: 70})
    assert list(found.values()) == [Hosted({})]


def test_a_trainer_routes_on_whatever_a_stranger_announces(monkeypatch: pytest.MonkeyPatch) -> None:
    announce(monkeypatch, {HOST: announced(2, 1000)})
    directory = ExpertDirectory()
    found = announced_experts(DHT, RUN_ID, EXPERTS, nobody)
    directory.see({host: frozenset(each.experts) for host, each in found.items()})
    directory.came_back(HOST.peer_id)
    routing = Router(HIDDEN, SPEC)(torch.ones(3, HIDDEN), directory.available(1))
    assert routing.chosen.tolist() == [[2]] * 3


class Line:
    """Stands for the thread that calls hosts: the call is made at once."""

    p2p = None

    def submit(self, coroutine: Any) -> Future[Any]:
        """What the coroutine returns."""
        answer = Future[Any]()
        answer.set_result(asyncio.run(coroutine))
        return answer


class Swarm:
    """A trainer's view of a run in which one host announces the first expert."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.refusal: Refusal = "wrong"  # of a probe
        self.barred = set[str]()
        announce(monkeypatch, {HOST: announced(0)})
        monkeypatch.setattr(caller, "P2PThread", lambda *_: Line())
        monkeypatch.setattr(caller, "guard_announcements", lambda *_: None)
        monkeypatch.setattr(ExpertServer, "get_stub", lambda *_, **__: SimpleNamespace(rpc_forward=self._probed))
        swarm: Any = SimpleNamespace(dht=DHT, peer_id="trainer")
        self.caller, self.clock = ExpertCaller(swarm, RUN_ID, EXPERTS, HIDDEN, self.barred.__contains__), FakeClock()
        self.caller.directory = ExpertDirectory(self.clock)

    async def _probed(self, _request: object) -> Any:
        return reply(ReplyHeader(self.refusal))

    def host(self) -> str | None:
        """Whom the trainer asks for the first expert after another look."""
        self.caller.look()
        return self.caller.directory.host_of(EXPERTS[0])


def test_a_host_is_asked_once_it_lets_us_in(monkeypatch: pytest.MonkeyPatch) -> None:
    swarm = Swarm(monkeypatch)
    swarm.refusal = "not admitted"
    assert swarm.host() is None
    swarm.refusal, swarm.clock.now = "wrong", 10.0
    assert swarm.host() == HOST.peer_id


def test_a_host_that_is_barred_from_the_run_is_asked_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    swarm = Swarm(monkeypatch)
    assert swarm.host() == HOST.peer_id
    swarm.barred.add(HOST.peer_id)
    assert swarm.host() is None and swarm.caller.directory.due_for_probe() == ()
    swarm.barred.clear()
    assert swarm.host() == HOST.peer_id


def test_a_host_that_refuses_all_tokens_is_not_asked_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    swarm, asked = Swarm(monkeypatch), [ExpertInput(EXPERTS[0], torch.ones(1, HIDDEN), None)]
    assert swarm.host() == HOST.peer_id
    for swarm.clock.now in (0.0, REFUSING_SECONDS):
        assert swarm.caller.directory.host_of(EXPERTS[0]) == HOST.peer_id
        assert swarm.caller.forward(asked) == [None]
    assert not swarm.caller.available(1)
