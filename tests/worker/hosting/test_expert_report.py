"""What a client is told of a run's experts: rates of the last half minute, who answers, how much finds its expert."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from core.protocol.codec import decode_event, encode
from core.protocol.experts import MAX_RATE, MOST_EXPERTS, ExpertSeen
from core.worker.experts.block import ExpertId
from core.worker.hosting.expert_report import WINDOW_SECONDS, ExpertReport
from core.worker.hosting.rates import WindowedCounts
from core.worker.swarm import AskedTokens, ExpertStanding
from tests.support.computer.fake_clock import FakeClock

MINE, OTHERS, NOBODYS = ExpertId(1, 0), ExpertId(1, 1), ExpertId(3, 0)


class Knowledge:
    """Stands for an `ExpertCaller`: what it has counted, and who answers for what."""

    def __init__(self) -> None:
        self.asked = AskedTokens()
        self.standings = {
            MINE: ExpertStanding("me", True, steps=3, tokens=100, latency=0.002),
            OTHERS: ExpertStanding("other", steps=9, tokens=5000, latency=0.5),
        }

    def standing(self, expert: ExpertId) -> ExpertStanding:
        """The one that was set, or that nobody answers."""
        return self.standings.get(expert, ExpertStanding())


@pytest.fixture
def clock() -> FakeClock:
    """At zero."""
    return FakeClock()


def hosted(computed_tokens: int) -> Any:
    """Stands for a hosted expert: what it has computed so far."""
    return SimpleNamespace(computed_tokens=computed_tokens)


def test_a_rate_is_the_mean_of_the_window_and_a_count_that_falls_begins_anew(clock: FakeClock) -> None:
    counts = WindowedCounts[str](30.0, clock)
    for now, count in ((0.0, 0), (10.0, 1000), (20.0, 1000), (30.0, 1600), (40.0, 100)):
        clock.now = now
        counts.see({"a": count})
        if now == 0.0:
            assert counts.rate("a") is None and counts.rate("b") is None
        if now == 30.0:
            assert counts.rate("a") == pytest.approx(1600 / 30)
    assert counts.growth("a") == 600, "from 1,000 to 1,600, and then from nothing"
    assert counts.rate("a") == pytest.approx(600 / 30)


def test_each_expert_has_its_host_its_load_and_its_latency_or_nobody(clock: FakeClock) -> None:
    knowledge, here = Knowledge(), {MINE: hosted(0)}
    report = ExpertReport([NOBODYS, OTHERS, MINE], knowledge, here, clock)
    first = report.event()
    assert [(each.layer, each.number) for each in first.experts] == [MINE, OTHERS, NOBODYS]
    assert first.sent_tokens_per_second is None and first.found_share is None
    clock.now = 10.0
    knowledge.asked = AskedTokens(sent=4000, answered=3000)
    knowledge.standings[OTHERS] = ExpertStanding("other", steps=10, tokens=6000, latency=0.5)
    here[MINE] = hosted(700)
    event = report.event()
    assert event.experts[1] == ExpertSeen(
        layer=1, number=1, host="other", tokens_per_second=100.0, tokens=6000, steps=10, latency_seconds=0.5
    )
    assert event.experts[0].is_mine and event.experts[0].tokens_per_second == 0.0
    assert event.experts[2] == ExpertSeen(layer=3, number=0)
    assert event.sent_tokens_per_second == 400.0 and event.received_tokens_per_second == 70.0
    assert event.found_share == 0.75
    assert decode_event(encode(event)) == event


def test_what_was_lost_is_forgotten_with_the_window(clock: FakeClock) -> None:
    knowledge = Knowledge()
    report = ExpertReport([OTHERS], knowledge, {}, clock)
    report.event()
    clock.now, knowledge.asked = 2.0, AskedTokens(sent=100, answered=50)
    assert report.event().found_share == 0.5
    for _ in range(2):
        clock.now += WINDOW_SECONDS
        knowledge.asked = AskedTokens(knowledge.asked.sent + 100, knowledge.asked.answered + 100)
        event = report.event()
    assert event.found_share == 1.0


def test_whatever_a_host_announces_the_event_is_within_its_bounds(clock: FakeClock) -> None:
    knowledge = Knowledge()
    knowledge.standings[OTHERS] = ExpertStanding("other", tokens=0, latency=1e9)
    report = ExpertReport([OTHERS], knowledge, {}, clock)
    report.event()
    clock.now = 0.1
    knowledge.standings[OTHERS] = ExpertStanding("other", steps=2**63 - 1, tokens=2**63 - 1, latency=1e9)
    event = report.event()
    assert event.experts[0].tokens_per_second == MAX_RATE
    assert decode_event(encode(event)) == event


def test_of_very_many_experts_those_here_are_told_first_and_the_others_counted(clock: FakeClock) -> None:
    experts = [ExpertId(layer, number) for layer in (1, 3) for number in range(MOST_EXPERTS)]
    last = experts[-1]
    knowledge = Knowledge()
    knowledge.standings[last] = ExpertStanding("me", True)
    event = ExpertReport(experts, knowledge, {last: hosted(0)}, clock).event()
    assert len(event.experts) == MOST_EXPERTS and event.untold == MOST_EXPERTS
    assert (event.experts[-1].layer, event.experts[-1].number) == last and event.experts[-1].is_mine
    assert decode_event(encode(event)) == event
