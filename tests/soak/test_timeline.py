"""The arithmetic of a soak: when a member was well, which samples were lost, and what no fault explains."""

from __future__ import annotations

import msgspec
import pytest

from core.errors import ErrorKind
from core.protocol.events import AnyEvent, Connected, Failed, Hello, Restarting, RoundFinished
from tests.bench.peers.peer_process import Seen
from tests.bench.peers.test_metrics import progress
from tests.soak.peers import Suffered
from tests.soak.plan import Kind
from tests.soak.timeline import FIRST_TEST_SECONDS, TRIES_AGAIN, Samples, Story


def averaged(epoch: int, peers: int = 2) -> RoundFinished:
    """A round of the gradients of that epoch."""
    return RoundFinished(epoch=epoch, kind="gradients", ok=peers > 1, peers=peers, seconds=1.0)


HELLO, CONNECTED = Hello(protocol=1, version="1"), Connected(peer_id="Qm", peers=1)
CRASHED = Restarting(attempt=1, seconds=2.0, problem=ErrorKind.WORKER_CRASHED.key)
REFUSED = Failed(problem=ErrorKind.STATE_REFUSED.key)


def story(*events: AnyEvent, suffered: tuple[Suffered, ...] = ()) -> Story:
    """One event a second, from the first second on."""
    seen = [Seen(1.0 + second, event) for second, event in enumerate(events)]
    return Story("volunteer", seen, suffered, 1.0 + len(events))


def test_who_has_helped_is_well_until_its_next_fault() -> None:
    fault = Suffered("line cut", began=3.5, ended=4.5)
    told = story(HELLO, averaged(1), progress(1, 5), averaged(1), averaged(2), suffered=(fault,))
    assert told.well == [(2.0, 3.5), (5.0, 6.0)]
    assert told.was_well(2.5, 3.0) and not told.was_well(3.0, 4.0)


def test_a_fault_that_has_not_ended_is_never_healed() -> None:
    assert story(HELLO, averaged(1), averaged(2), suffered=(Suffered("sleep", 2.5),)).well == [(2.0, 2.5)]


def test_it_is_known_how_long_healing_took_unless_the_next_fault_came_first() -> None:
    first, second = Suffered("line cut", began=2.5, ended=3.0), Suffered("sleep", began=3.5, ended=4.5)
    told = story(HELLO, averaged(1), averaged(1), progress(1, 5), averaged(2), suffered=(first, second))
    assert list(told.healings()) == [("sleep", 0.5)]
    told = story(HELLO, averaged(1), averaged(1), progress(1, 5), averaged(2), suffered=(second,))
    assert list(told.healings()) == [("sleep", 0.5)]


def test_a_round_with_nobody_is_no_help() -> None:
    state = RoundFinished(epoch=1, kind="state", ok=True, peers=2, seconds=1.0)
    assert story(HELLO, averaged(1, peers=1), state).helped(0.0) is None


def test_a_round_of_local_sgd_that_has_moved_nothing_is_no_help() -> None:
    unmoved = RoundFinished(epoch=1, kind="changes", ok=True, peers=3, seconds=1.0, stepped=False)
    assert story(HELLO, unmoved).helped(0.0) is None
    assert story(HELLO, msgspec.structs.replace(unmoved, stepped=True)).helped(0.0) is not None


def test_samples_of_an_epoch_whose_round_had_nobody_else_are_lost() -> None:
    told = story(
        HELLO,
        progress(1, 10),
        progress(2, 30),
        averaged(1),
        progress(3, 60),
        averaged(2, peers=1),
        progress(3, 65),
    )
    assert told.samples == Samples(given=65, averaged=30, open=5)
    assert told.samples.lost == 30


def test_samples_of_a_worker_that_is_gone_are_lost_with_it() -> None:
    told = story(HELLO, progress(1, 10), progress(1, 30), HELLO, progress(1, 7))
    assert told.samples == Samples(given=37, averaged=0, open=7)
    assert told.samples.lost == 30


def test_a_stall_counts_only_while_all_was_well_with_oneself() -> None:
    fault = Suffered("line cut", began=4.5, ended=5.5)
    told = story(
        progress(1, 1, 9.0),
        averaged(1),
        progress(1, 1, 0.5),
        progress(1, 2, 0.2),
        progress(1, 3, 9.0),
        averaged(2),
        progress(2, 5, 3.0),
        suffered=(fault,),
    )
    assert told.longest_stall == 0.5


@pytest.mark.parametrize(
    ("trouble", "kind", "is_explained"),
    [(REFUSED, "p2pd killed", False), (CRASHED, "line cut", False), (CRASHED, "p2pd killed", True)],
)
def test_a_trouble_is_explained_by_what_was_done(trouble: AnyEvent, kind: str, is_explained: bool) -> None:
    fault = Suffered(kind, began=1.5, ended=1.5)  # type: ignore[arg-type]
    assert (story(HELLO, trouble, suffered=(fault,)).unexplained() == []) is is_explained
    assert len(story(HELLO, averaged(1), HELLO, trouble, suffered=(fault,)).unexplained()) == 1
    assert len(story(HELLO, trouble).unexplained()) == 1


def test_a_part_that_was_lost_explains_an_end_although_the_round_was_still_averaged() -> None:
    lost = Suffered("p2pd killed", 1.5, 1.5)
    assert story(HELLO, averaged(1), CRASHED, suffered=(lost,)).unexplained() == []


TRIES = [
    (ErrorKind.SWARM_LOST, "line cut", True),
    (ErrorKind.SWARM_LOST, "p2pd killed", False),
    (ErrorKind.NOBODY_ANSWERS, "client killed", True),
]


@pytest.mark.parametrize(("problem", "kind", "is_explained"), TRIES)
def test_who_tries_again_is_excused_by_a_fault_under_way(problem: ErrorKind, kind: Kind, is_explained: bool) -> None:
    failed, again = Failed(problem=problem.key), Restarting(attempt=1, seconds=0.0, problem=problem.key)
    fault = Suffered(kind, began=2.5, ended=3.5)
    told = story(HELLO, averaged(1), failed, again, averaged(2), suffered=(fault,))
    assert (told.unexplained() == []) is is_explained
    assert told.new_tries() == [problem.key]


def test_a_first_test_of_the_network_may_begin_anew_and_a_later_one_only_after_a_cut() -> None:
    failed = Failed(problem=ErrorKind.NETWORK_CHANGED.key)
    assert story(HELLO, CONNECTED, averaged(1), failed).unexplained() == []
    slowly = [Seen(1.0, HELLO), Seen(200.0, CONNECTED), Seen(201.0, failed)]
    assert Story("one", slowly, (), 299.0).unexplained() == []
    late = [Seen(1.0, HELLO), Seen(1.5, CONNECTED), Seen(2.0, averaged(1)), Seen(2.0 + FIRST_TEST_SECONDS, failed)]
    assert len(Story("one", late, (), 99.0).unexplained()) == 1
    slept = Suffered("sleep", began=3.0, ended=4.0)
    assert Story("one", late, (slept,), 99.0).unexplained() == []


@pytest.mark.parametrize("problem", sorted(TRIES_AGAIN - {ErrorKind.NETWORK_CHANGED}, key=str))
def test_without_a_fault_before_it_or_once_that_is_over_a_new_try_is_a_trouble(problem: ErrorKind) -> None:
    failed = Failed(problem=problem.key)
    assert len(story(HELLO, averaged(1), failed).unexplained()) == 1
    over, to_come = Suffered("sleep", began=1.5, ended=1.6), Suffered("sleep", began=3.5, ended=4.5)
    assert len(story(HELLO, averaged(1), failed, averaged(2), suffered=(over, to_come)).unexplained()) == 1
