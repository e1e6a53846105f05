"""Hosts share a run's experts among themselves, each by its own decisions, and nobody's trained expert is replaced."""

from __future__ import annotations

from core.worker.experts.block import ExpertId
from core.worker.swarm.experts.announcements import Hosted
from core.worker.swarm.experts.assignment import PATIENCE_SECONDS, SETTLING_SECONDS, Assignment, Held, ranked

EXPERTS = [ExpertId(1, number) for number in range(6)]
FIRST = EXPERTS[0]


class Crowd:
    """Hosts that see at once what the others announce, and a clock that is moved by seconds."""

    def __init__(self, *peers: str, capacity: int = len(EXPERTS)) -> None:
        self.now, self._capacity = 0.0, capacity
        self.hosted: dict[str, set[ExpertId]] = {}
        self.copies: dict[str, dict[ExpertId, int]] = {}
        self._assignments: dict[str, Assignment] = {}
        for peer in peers:
            self.add(peer)

    def add(self, peer: str, capacity: int | None = None) -> None:
        """One more host, without any experts yet."""
        self.hosted[peer] = set()
        self._assignments[peer] = Assignment(peer, EXPERTS, capacity or self._capacity, lambda: self.now)

    def live(self, seconds: int) -> None:
        """Let them all look once a second."""
        for _ in range(seconds):
            self.now += 1.0
            for peer, assignment in self._assignments.items():
                if peer not in self.hosted:
                    continue
                others = {other: self._announced(other) for other in self.hosted if other != peer}
                changes = assignment.changes(
                    others, dict.fromkeys(self.hosted[peer], Held(1, 1)), self.copies.get(peer, {})
                )
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
