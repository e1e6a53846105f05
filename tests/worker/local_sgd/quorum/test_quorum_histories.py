"""No two groups take different outer steps from the same base weights, whatever becomes of their members.

That holds for groups that know of as many peers as there are, and as long as who may have missed a step reaches one of
those who have taken it before it gives up asking; see `is_quorum`. Histories are drawn at random, each from its number.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from core.worker.swarm.local_sgd import repair
from core.worker.swarm.local_sgd.repair import DOUBTFUL_TRIES
from core.worker.swarm.trust.met_peers import PATIENCE_ROUNDS
from tests.support.computer.fake_clock import FakeClock
from tests.worker.local_sgd.quorum.swarm_model import BEGINNING, Fate, SwarmModel, peer_id

HISTORIES, EVENTS = 1500, 40
MOST_MEMBERS = 8
MOST_ROUNDS_APART = 8  # of all together, until those who are far behind have come along
CROWD = [peer_id(number) for number in range(100, 106)]  # who report progress, and are not there
FATES = {Fate.WHOLE: 10, Fate.LACKS_PARTS: 8, Fate.BROKEN: 2, Fate.CRASHED: 1}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> FakeClock:
    """The clock of every Repair; what each member logs is no news."""
    caplog.set_level(logging.CRITICAL)
    here = FakeClock()
    monkeypatch.setattr(repair, "time", SimpleNamespace(monotonic=here))
    return here


class History:
    """What happens to a swarm, one event after another, and in words what has happened so far."""

    def __init__(self, number: int, clock: FakeClock) -> None:
        self._random = random.Random(number)
        sharing = [True, *(self._random.random() < 0.6 for _ in range(self._random.randint(1, 6)))]
        self._random.shuffle(sharing)
        self.swarm = SwarmModel(sharing, clock)
        self.told = [f"history {number}, who shares its base weights: {sharing}"]

    def events(self) -> Iterator[None]:
        """After each of them what must always hold can be looked at."""
        everything: dict[Callable[[], None], float] = {
            self._exchange: 16,
            self._search: 16,
            self._crash: 2,
            self._come_back: 4,
            self._report: 1,
            self._join: 0.5,
            self._hear: 2,
        }
        for event in self._random.choices([*everything], [*everything.values()], k=EVENTS):
            event()
            members = [(*each.version, "sure" if each.is_sure else "unsure") for each in self.swarm.members]
            self.told.append(f"{event.__name__}: {members}, gone: {self.swarm.gone}")
            yield

    def _exchange(self) -> None:
        present = self.swarm.present()
        if len(present) > 1:
            group = self._random.sample(present, self._random.randint(2, len(present)))
            self.swarm.exchange(group, self._random.choices([*FATES], [*FATES.values()], k=len(group)))

    def _search(self) -> None:
        if present := self.swarm.present():
            reach = self._random.sample(present, self._random.randint(0, len(present)))
            self.swarm.search(self._random.choice(present), reach)

    def _crash(self) -> None:
        """On the disk there may be the checkpoint of a step before."""
        if present := self.swarm.present():
            member = self._random.choice(present)
            (steps, root), is_old = member.version, self._random.random() < 0.5
            self.swarm.crash(member, (steps - 1, root[: root.rindex(b"-")]) if steps and is_old else (steps, root))

    def _come_back(self) -> None:
        if gone := sorted(self.swarm.gone):
            self.swarm.come_back(self._random.choice(gone))

    def _report(self) -> None:
        """Nobody is there in whose name this is, or nobody any more."""
        crowd = set(CROWD[: self._random.choice([0, 0, 1, len(CROWD)])])
        for each in self.swarm.members:
            each.reported = (each.reported - {*CROWD}) | crowd

    def _join(self) -> None:
        donors = [each for each in self.swarm.present() if each.is_shared]
        if donors and len(self.swarm.members) < MOST_MEMBERS:
            self.swarm.join(is_shared=self._random.random() < 0.6, version=self._random.choice(donors).version)

    def _hear(self) -> None:
        """Some hear of the newcomers; the others do later."""
        for each in self.swarm.members:
            if self._random.random() < 0.7:
                each.reported.update(other.id for other in self.swarm.members)


def test_whatever_becomes_of_members_nobody_takes_another_step_from_the_same_base_weights(clock: FakeClock) -> None:
    steps = 0
    for number in range(HISTORIES):
        history = History(number, clock)
        for _ in history.events():
            if history.swarm.is_beyond:
                break
            assert len(history.swarm.branches()) == 1, "\n".join(history.told)
        steps += max(each.version[0] for each in history.swarm.members)
    assert steps > 1.5 * HISTORIES, "or there was nothing to part"


def test_once_all_meet_again_all_go_on_with_the_same_base_weights(clock: FakeClock) -> None:
    """Also where two groups have parted, as neither knew of the other."""
    for number in range(HISTORIES):
        history = History(number, clock)
        for _ in history.events():
            pass
        swarm = history.swarm
        for gone in sorted(swarm.gone):
            swarm.come_back(gone)
        for each in swarm.members:
            each.reported = {other.id for other in swarm.members}
        for _ in range(MOST_ROUNDS_APART):
            swarm.exchange(swarm.members, [Fate.WHOLE] * len(swarm.members))
            for each in 2 * swarm.members:  # to ask, and to hear the answer
                swarm.search(each, swarm.members)
        before = max(each.version[0] for each in swarm.members)
        swarm.exchange(swarm.members, [Fate.WHOLE] * len(swarm.members))
        versions = {each.version for each in swarm.members}
        assert len(versions) == 1 and max(versions)[0] == before + 1, "\n".join(history.told)


def test_who_has_crashed_in_an_exchange_and_comes_back_is_not_sure_that_the_others_have_not_stepped(
    clock: FakeClock,
) -> None:
    """It had a part in their step, and has forgotten that: with a third it would take another one."""
    swarm = SwarmModel([True, False, True], clock)
    one, client, other = swarm.members
    swarm.exchange([one, client], [Fate.WHOLE, Fate.CRASHED])
    assert one.version[0] == 1
    swarm.come_back(1)
    again = swarm.members[1]
    swarm.exchange([again, other], [Fate.WHOLE] * 2)
    assert again.version == other.version == BEGINNING and not again.is_sure
    for _ in range(2):  # to ask, and to hear the answer
        swarm.search(again, [one, other])
    assert again.version == one.version


def test_whoever_has_never_met_the_others_counts_them_no_more_after_some_rounds(clock: FakeClock) -> None:
    """That is the price of a crowd that is not there, and beyond what a quorum promises."""
    swarm = SwarmModel([True] * 5, clock)
    for number in (0, 1):
        swarm.crash(swarm.members[number], BEGINNING)
        swarm.come_back(number)  # it remembers no group
    two, three = swarm.members[:2], swarm.members[2:]
    for _ in range(PATIENCE_ROUNDS):
        swarm.exchange(two, [Fate.WHOLE] * 2)
        assert two[0].version == BEGINNING
    for _ in range(2 * DOUBTFUL_TRIES):
        for each in two:
            swarm.search(each, two)
    swarm.exchange(two, [Fate.WHOLE] * 2)
    assert two[0].version[0] == 1 and swarm.is_beyond
    swarm.exchange(three, [Fate.WHOLE] * 3)
    assert len(swarm.branches()) == 2


def test_who_reaches_nobody_that_has_stepped_gives_up_its_doubt(clock: FakeClock) -> None:
    """Two of three go on without the third, whose step alone is lost; it would hold them up for ever otherwise."""
    swarm = SwarmModel([True] * 3, clock)
    swarm.exchange(swarm.members, [Fate.WHOLE, Fate.LACKS_PARTS, Fate.LACKS_PARTS])
    _, *two = swarm.members
    swarm.exchange(two, [Fate.WHOLE] * 2)
    assert {each.version for each in two} == {BEGINNING}
    for _ in range(2 * DOUBTFUL_TRIES):
        clock.now += 1000.0
        for each in two:
            each.look_for_weights(two)
    swarm.exchange(two, [Fate.WHOLE] * 2)
    assert {each.version[0] for each in two} == {1} and len(swarm.branches()) == 2
