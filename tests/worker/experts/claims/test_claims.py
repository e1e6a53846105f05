"""Who announces experts and answers for none keeps no host from them, and who answers only late or not to all does."""

from __future__ import annotations

import random

import pytest

from core.worker.experts.block import ExpertId
from core.worker.swarm.experts.announcements import LIFETIME_SECONDS, Hosted
from core.worker.swarm.experts.assignment import Assignment, Held
from core.worker.swarm.experts.claims import (
    ANSWERED_SECONDS,
    BUSY_SECONDS,
    FORGOTTEN_SECONDS,
    LEFT_SECONDS,
    MOST_CHECKED,
    RETRY_SECONDS,
    TRIAL_SECONDS,
    TRIES,
    Claims,
    unanswered,
)
from core.worker.swarm.experts.messages import Refusal
from tests.support.computer.fake_clock import FakeClock

EXPERTS = [ExpertId(1, number) for number in range(6)]
FIRST = EXPERTS[0]
FOUND_OUT_SECONDS = 240  # by when a host that answers nothing is silent to all, and has no experts


class Run:
    """Hosts that look and ask each other every five seconds, and liars that announce all experts.

    ``answers`` are why a peer refuses a token, if not by empty text, and ``None`` where it does not answer at all;
    those ``apart`` do not reach each other. Trainers come for an expert to the first of its hosts that answers.
    """

    def __init__(self, *hosts: str, liars: str = "") -> None:
        self.clock = FakeClock()
        self.hosted = {peer: set[ExpertId]() for peer in hosts} | {peer: set(EXPERTS) for peer in liars}
        self.answers: dict[str, Refusal | None] = {**dict.fromkeys(hosts, ""), **dict.fromkeys(liars)}
        self.apart, self.is_trained = set[frozenset[str]](), True
        self.asleep, self._wakes = set[str](), set[str]()
        self.asked: list[tuple[float, str, str]] = []
        self._trained: dict[tuple[str, ExpertId], int] = {}
        self._came_first = dict.fromkeys([*liars, *hosts])
        chance = random.Random(1).random
        self._hosts = {
            peer: (Assignment(peer, EXPERTS, len(EXPERTS), self.clock), Claims(self.clock, chance)) for peer in hosts
        }

    def live(self, seconds: float) -> None:
        """Let them all look once in five seconds."""
        for _ in range(int(seconds / 5)):
            self.clock.now += 5.0
            for peer in [each for each in self._hosts if each not in self.asleep]:
                self._look(peer)
            if self.is_trained:
                self._train()

    def of(self, expert: ExpertId) -> list[str]:
        """Who announces that expert and is no liar."""
        return [peer for peer in self._hosts if expert in self.hosted[peer]]

    def sleep(self, peer: str, seconds: float) -> None:
        """Let that one do nothing meanwhile, and announce nothing."""
        self.asleep.add(peer)
        self.live(seconds)
        self.asleep.remove(peer)
        self._wakes.add(peer)

    def _look(self, own: str) -> None:
        assignment, claims = self._hosts[own]
        there = [peer for peer in self.hosted if peer not in (own, *self.asleep)]
        announced = {peer: Hosted(dict.fromkeys(self.hosted[peer], 9)) for peer in there}
        believed = claims.believed(announced)
        for peer, _expert in claims.due():
            self.asked.append((self.clock.now, own, peer))
            claims.heard(peer, None if {own, peer} in self.apart else self.answers[peer])
        held = {each: Held(1, self._trained.get((own, each), 0)) for each in self.hosted[own]}
        was_absent = own in self._wakes
        self._wakes.discard(own)
        changes = assignment.changes(believed, held, {}, was_absent, unanswered(announced, believed))
        for expert in changes.take:
            self._trained[own, expert] = 0
        self.hosted[own] = self.hosted[own] - set(changes.drop) | set(changes.take)

    def _train(self) -> None:
        for expert in EXPERTS:
            for peer in self._came_first:
                if peer not in self.asleep and self.answers[peer] == "" and expert in self.hosted.get(peer, ()):
                    self._trained[peer, expert] = self._trained.get((peer, expert), 0) + 1
                    break

    def assert_each_has_one_host(self) -> None:
        """Nobody has what another one has, and nothing is left."""
        assert [len(self.of(expert)) for expert in EXPERTS] == [1] * len(EXPERTS)


@pytest.mark.parametrize("refusal", [None, "too many", "busy", "not hosted", "not admitted", "wrong"])
@pytest.mark.parametrize("hosts", ["b", "bc", "bcdef"])
def test_the_experts_of_who_answers_for_none_are_shared_by_the_others(hosts: str, refusal: Refusal | None) -> None:
    run = Run(*hosts, liars="az")
    run.answers |= dict.fromkeys("az", refusal)
    run.live(TRIES * RETRY_SECONDS / 2)
    assert not any(run.of(expert) for expert in EXPERTS)
    run.live(FOUND_OUT_SECONDS)
    run.assert_each_has_one_host()
    before = {peer: set(run.hosted[peer]) for peer in hosts}
    run.live(3600)
    assert {peer: run.hosted[peer] for peer in hosts} == before


def test_a_host_that_answers_nothing_for_a_moment_keeps_its_experts() -> None:
    run = Run("b", liars="a")
    for answer, seconds in (("", 60), (None, TRIES * RETRY_SECONDS / 2), ("", 400)):
        run.answers["a"] = answer  # type: ignore[assignment]
        run.live(seconds)
        assert not run.hosted["b"]


def test_who_has_answered_lately_may_be_asked_too_much_and_others_may_not() -> None:
    clock, announced = FakeClock(), {"a": Hosted({FIRST: 9}), "b": Hosted({FIRST: 9})}
    claims = Claims(clock, lambda: 0.0)
    claims.believed(announced)
    claims.due()
    claims.heard("a", "")
    for _ in range(TRIES):
        for peer in announced:
            claims.heard(peer, "too many")
    assert claims.believed(announced) == {"a": announced["a"]}
    clock.now = BUSY_SECONDS
    for _ in range(TRIES):
        claims.heard("a", "too many")
    assert claims.believed(announced) == {}


def test_an_expert_goes_back_to_a_host_that_answers_again_and_is_not_lost_between_two() -> None:
    run = Run("b", "c", liars="a")
    run.live(FOUND_OUT_SECONDS)
    run.assert_each_has_one_host()
    run.answers["a"] = ""
    run.live(60)
    assert not run.hosted["b"] | run.hosted["c"]


@pytest.mark.parametrize("hosts", ["ab", "abc", "abcde"])
def test_of_honest_hosts_of_which_one_hangs_for_minutes_one_has_each_expert_afterwards(hosts: str) -> None:
    run = Run(*hosts)
    run.live(60)
    own = set(run.hosted["a"])
    assert own
    run.answers["a"] = None
    run.live(1.5 * ANSWERED_SECONDS + FOUND_OUT_SECONDS)
    assert all(len(run.of(expert)) == 2 for expert in own)  # it does not know that it hangs
    run.answers["a"] = ""
    run.live(60)
    run.assert_each_has_one_host()
    assert run.hosted["a"] == own


def test_who_has_slept_leaves_its_experts_to_a_host_unknown_to_it_although_a_silent_one_has_them_too() -> None:
    run = Run("b", "c", liars="z")
    run.sleep("c", FOUND_OUT_SECONDS)
    run.assert_each_has_one_host()
    run.sleep("b", FOUND_OUT_SECONDS)
    assert run.hosted["b"] == run.hosted["c"] == set(EXPERTS)
    run.live(120)
    run.assert_each_has_one_host()


def test_who_says_nothing_for_a_while_and_then_announces_experts_again_gets_none_back() -> None:
    run = Run("b", liars="a")
    run.live(FOUND_OUT_SECONDS)
    liar = run.hosted.pop("a")
    run.live(LIFETIME_SECONDS)
    assert run.hosted["b"] == set(EXPERTS)
    run.live(FORGOTTEN_SECONDS)
    run.hosted["a"] = liar
    for answer in (None, ""):
        run.answers["a"] = answer
        run.live(60)
        assert run.hosted["b"] == set(EXPERTS)


def test_new_names_for_the_experts_of_a_silent_host_gain_no_time() -> None:
    run = Run("b", liars="z")
    run.is_trained = False  # so that anybody believed would be given way to
    run.live(FOUND_OUT_SECONDS)
    assert run.hosted["b"] == set(EXPERTS)
    for name in "yxwv":
        run.answers[name], run.hosted[name] = None, set(EXPERTS)
        run.live(10)
        assert run.hosted["b"] == set(EXPERTS)


def test_a_host_that_we_alone_do_not_reach_has_its_experts_for_itself_again() -> None:
    run = Run("b", liars="a")  # one that is honest
    run.answers["a"] = ""
    run.apart.add(frozenset("ab"))
    run.live(FOUND_OUT_SECONDS)
    assert run.hosted["b"] == set(EXPERTS)
    run.live(TRIAL_SECONDS)
    assert not run.hosted["b"]
    run.live(LEFT_SECONDS - 120)
    assert not run.hosted["b"]
    run.live(120 + 60)
    assert run.hosted["b"] == set(EXPERTS)


def test_who_is_asked_next_and_how_often_is_bounded_and_differs_between_hosts() -> None:
    run = Run(*"abcdefgh", liars="ABCDEFGHIJKL")
    run.live(3600)
    for own in "abcdefgh":
        times = [at for at, asker, _peer in run.asked if asker == own]
        assert max(times.count(at) for at in times) <= MOST_CHECKED
        honest = [peer for _at, asker, peer in run.asked if asker == own and peer in "abcdefgh"]
        assert len(honest) <= 7 * (2 + 3600 / ANSWERED_SECONDS)
        assert {peer for _at, asker, peer in run.asked if asker == own} >= set("ABCDEFGHIJKL")
    firsts = {asker: min(at for at, each, peer in run.asked if (each, peer) == (asker, "A")) for asker in "abcdefgh"}
    assert len(set(firsts.values())) > 1
