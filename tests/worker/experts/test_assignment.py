"""Hosts share a run's experts among themselves, each by its own decisions, and nobody's trained expert is replaced."""

from __future__ import annotations

import pytest

from core.worker.experts.block import ExpertId
from core.worker.swarm.experts.announcements import LIFETIME_SECONDS, Hosted
from core.worker.swarm.experts.assignment import (
    PATIENCE_SECONDS,
    SETTLING_SECONDS,
    Absence,
    Assignment,
    Held,
    ranked,
)

EXPERTS = [ExpertId(1, number) for number in range(6)]
FIRST = EXPERTS[0]


class Crowd:
    """Hosts that see at once what the others announce, and a clock that is moved by seconds.

    Those ``asleep`` do nothing; those ``cut_off`` see nobody. Neither is seen once its last announcement has lapsed.
    """

    def __init__(self, *peers: str, capacity: int = len(EXPERTS)) -> None:
        self.now, self._capacity = 0.0, capacity
        self.hosted: dict[str, set[ExpertId]] = {}
        self.copies: dict[str, dict[ExpertId, int]] = {}
        self.asleep, self.cut_off = set[str](), set[str]()
        self._assignments: dict[str, tuple[Assignment, Absence]] = {}
        self._heard_at: dict[str, float] = {}
        self._tokens: dict[str, int] = {}
        for peer in peers:
            self.add(peer)

    def add(self, peer: str, capacity: int | None = None) -> None:
        """One more host, without any experts yet."""
        self.hosted[peer], self._tokens[peer], self._heard_at[peer] = set(), 1, self.now
        assignment = Assignment(peer, EXPERTS, capacity or self._capacity, lambda: self.now)
        self._assignments[peer] = assignment, Absence(lambda: self.now)

    def live(self, seconds: int) -> None:
        """Let them all look once a second."""
        for _ in range(seconds):
            self.now += 1.0
            for peer in sorted(self._assignments.keys() & self.hosted.keys() - self.asleep):
                self._look(peer)

    def _look(self, peer: str) -> None:
        (assignment, absence), others = self._assignments[peer], dict[str, Hosted]()
        absence.announced()
        if peer not in self.cut_off:
            self._heard_at[peer] = self.now
            others = {
                other: self._announced(other)
                for other in self.hosted.keys() - {peer}
                if self.now - self._heard_at[other] <= LIFETIME_SECONDS
            }
        mine = dict.fromkeys(self.hosted[peer], Held(1, self._tokens[peer]))
        self._tokens[peer] += peer not in self.cut_off
        was_absent = absence.has_ended(others, mine)
        changes = assignment.changes(others, mine, self.copies.get(peer, {}), was_absent)
        self.hosted[peer] = self.hosted[peer] - set(changes.drop) | set(changes.take)

    def _announced(self, peer: str) -> Hosted:
        return Hosted(dict.fromkeys(self.hosted[peer], 1), self.copies.get(peer, {}))


def test_hosts_that_come_at_once_share_the_experts_evenly_and_each_has_one_host() -> None:
    crowd = Crowd("a", "b", "c")
    crowd.live(30)
    assert sorted(expert for hosted in crowd.hosted.values() for expert in hosted) == EXPERTS
    assert [len(hosted) for hosted in crowd.hosted.values()] == [2, 2, 2]


def test_what_a_host_that_is_gone_has_left_is_taken_by_the_others_first_by_who_has_a_copy() -> None:
    crowd = Crowd("a", "b", "c")
    crowd.live(30)
    (left, *_), gone = sorted(crowd.hosted["c"]), crowd.hosted.pop("c")
    keeper = next(peer for peer in ranked(left, "ab") if peer != ranked(left, "ab")[0])
    crowd.copies[keeper] = dict.fromkeys(gone, 7)
    crowd.live(30)
    assert crowd.hosted[keeper] >= gone
    assert len(crowd.hosted["a"] | crowd.hosted["b"]) == len(EXPERTS)


def test_nobody_takes_more_than_it_has_room_for() -> None:
    crowd = Crowd("a", capacity=2)
    crowd.live(30)
    assert len(crowd.hosted["a"]) == 2
    crowd.add("b")
    crowd.live(30)
    assert [len(hosted) for hosted in crowd.hosted.values()] == [2, 2] and not crowd.hosted["a"] & crowd.hosted["b"]


def test_of_two_that_answer_for_one_expert_the_untrained_one_gives_way() -> None:
    def dropped(own: str, trained: int, others_steps: int) -> bool:
        assignment = Assignment(own, EXPERTS, 6, lambda: 0.0)
        return assignment.changes({"m": Hosted({FIRST: others_steps})}, {FIRST: Held(0, trained)}, {}).drop == (FIRST,)

    assert dropped("z", trained=0, others_steps=0) and not dropped("a", trained=0, others_steps=0)
    assert dropped("a", trained=0, others_steps=9) and not dropped("z", trained=5, others_steps=9)


def test_of_two_that_took_an_expert_at_once_one_gives_way_although_both_were_trained_and_never_both() -> None:
    def dropped(own: str, rival: str, seconds: float) -> bool:
        clock = [0.0]
        assignment = Assignment(own, [FIRST], 1, lambda: clock[0])
        assignment.changes({}, {}, {})
        clock[0] += PATIENCE_SECONDS
        assert assignment.changes({}, {}, {}).take == (FIRST,)
        clock[0] += seconds
        return assignment.changes({rival: Hosted({FIRST: 9})}, {FIRST: Held(4, 10)}, {}).drop == (FIRST,)

    soon, late = SETTLING_SECONDS - 1.0, SETTLING_SECONDS + 1.0
    assert dropped("z", "a", soon) and not dropped("a", "z", soon)
    assert not dropped("z", "a", late) and not dropped("a", "z", late)


def test_of_ten_that_took_and_trained_one_expert_before_they_heard_of_each_other_one_keeps_it() -> None:
    clock, claimants = [0.0], "abcdefghij"
    assignments = {peer: Assignment(peer, [FIRST], 1, lambda: clock[0]) for peer in claimants}
    for clock[0] in (0.0, PATIENCE_SECONDS):
        taken = {peer for peer, each in assignments.items() if each.changes({}, {}, {}).take}
    assert taken == set(claimants)
    claiming = set(claimants)
    for clock[0] in range(5, 60):
        for peer, each in assignments.items():
            others = {rival: Hosted({FIRST: 9} if rival in claiming else {}) for rival in claimants if rival != peer}
            changes = each.changes(others, {FIRST: Held(4, 10)} if peer in claiming else {}, {})
            claiming = claiming - {peer} if changes.drop else claiming
            assert claiming and not changes.take
    assert claiming == {"a"}


def test_an_expert_is_left_for_a_moment_to_whoever_is_ranked_first() -> None:
    own, other = reversed(ranked(FIRST, "ab"))
    clock = [0.0]
    assignment = Assignment(own, [FIRST], 1, lambda: clock[0])
    for seconds, is_taken in ((0.0, False), (PATIENCE_SECONDS, False), (2 * PATIENCE_SECONDS, True)):
        clock[0] = seconds
        assert (assignment.changes({other: Hosted({})}, {}, {}).take == (FIRST,)) == is_taken
        assert FIRST in assignment.orphans


def test_a_host_that_was_alone_gives_experts_to_one_that_comes_later_and_has_their_state() -> None:
    crowd = Crowd("a")
    crowd.live(30)
    crowd.add("b")
    crowd.live(30)
    assert not crowd.hosted["b"]
    crowd.copies["b"] = dict.fromkeys(EXPERTS[:4], 1)
    crowd.live(60)
    assert [len(hosted) for hosted in crowd.hosted.values()] == [3, 3]
    assert crowd.hosted["a"] | crowd.hosted["b"] == set(EXPERTS) and crowd.hosted["b"] < set(EXPERTS[:4])


def test_a_host_that_has_no_room_for_its_share_is_not_offered_experts_again_and_again() -> None:
    crowd = Crowd("a")
    crowd.add("b", capacity=2)
    crowd.copies["b"] = dict.fromkeys(EXPERTS, 1)
    crowd.live(120)  # in which one expert is offered in vain
    assert [len(hosted) for hosted in crowd.hosted.values()] == [4, 2]
    for _ in range(300):
        crowd.live(1)
        assert crowd.hosted["a"] | crowd.hosted["b"] == set(EXPERTS)
    crowd.hosted["b"].pop()  # now it has room
    crowd.copies["a"] = {}
    crowd.live(60)
    assert len(crowd.hosted["b"]) == 2


@pytest.mark.parametrize("peer", ["a", "c"])
@pytest.mark.parametrize("is_asleep", [True, False])
def test_who_comes_back_after_an_absence_leaves_its_experts_to_those_who_have_taken_them(
    peer: str, is_asleep: bool
) -> None:
    crowd = Crowd("a", "b", "c")
    crowd.live(60)
    away = crowd.asleep if is_asleep else crowd.cut_off
    away.add(peer)
    crowd.live(60)
    assert sum(len(hosted) for hosted in crowd.hosted.values()) > len(EXPERTS)
    away.clear()
    crowd.live(1)
    assert not crowd.hosted[peer] and sum(len(hosted) for hosted in crowd.hosted.values()) == len(EXPERTS)


@pytest.mark.parametrize("asleep", [{"a"}, {"b"}, set[str]()])
def test_of_two_hosts_that_have_not_seen_each_other_one_has_each_expert_afterwards(asleep: set[str]) -> None:
    crowd = Crowd("a", "b")
    crowd.live(60)
    crowd.asleep, crowd.cut_off = asleep, set() if asleep else {"a", "b"}
    crowd.live(60)
    crowd.asleep, crowd.cut_off = set(), set()
    crowd.live(30)
    assert sorted(expert for hosted in crowd.hosted.values() for expert in hosted) == EXPERTS


@pytest.mark.parametrize(
    ("steps", "tokens", "is_dropped"), [(99, 0, False), (99, 5, True), (100, 0, True), (101, 0, True), (0, 0, False)]
)
def test_after_an_absence_an_expert_stays_with_who_has_its_newest_state_unless_it_was_trained_meanwhile(
    steps: int, tokens: int, is_dropped: bool
) -> None:
    """Of two hosts that were away at once, each has taken an older copy of what the other has."""
    assignment, expert = Assignment("b", EXPERTS, len(EXPERTS), lambda: 1000.0), EXPERTS[0]
    rival = Hosted({expert: steps}, tokens={expert: tokens})
    changes = assignment.changes({"a": rival}, {expert: Held(100, 7)}, {}, was_absent=True)
    assert changes.drop == ((expert,) if is_dropped else ())


@pytest.mark.parametrize(
    ("returning", "is_trained", "ends"), [("b", False, True), ("b", True, False), ("stranger", False, False)]
)
def test_a_host_that_was_away_itself_makes_nobody_believe_that_others_were(
    returning: str, is_trained: bool, ends: bool
) -> None:
    clock, tokens = [0.0], 7
    absence = Absence(lambda: clock[0])
    assert not absence.has_ended({"b": Hosted({})}, {FIRST: Held(1, tokens)})
    for clock[0] in range(1, 60):
        absence.announced()
        tokens += is_trained
        assert not absence.has_ended({}, {FIRST: Held(1, tokens)})
    assert absence.has_ended({returning: Hosted({FIRST: 9})}, {FIRST: Held(1, tokens)}) == ends
    assert not absence.has_ended({returning: Hosted({FIRST: 9})}, {FIRST: Held(1, tokens)})


@pytest.mark.parametrize("announces_first", [True, False])
def test_a_computer_that_has_slept_knows_it_whether_it_looks_or_announces_first(announces_first: bool) -> None:
    clock = [0.0]
    absence = Absence(lambda: clock[0])
    clock[0] = LIFETIME_SECONDS + 1.0
    if announces_first:
        absence.announced()
    assert not absence.has_ended({}, {})  # nobody is seen yet
    assert absence.has_ended({"b": Hosted({})}, {})


def test_a_look_that_takes_long_is_no_absence_while_we_announce() -> None:
    clock = [0.0]
    absence, others = Absence(lambda: clock[0]), {"b": Hosted({})}
    assert not absence.has_ended(others, {FIRST: Held(1, 7)})
    for clock[0] in range(0, 121, 10):  # meanwhile a state is fetched
        absence.announced()
    assert not absence.has_ended(others, {FIRST: Held(1, 7)})
