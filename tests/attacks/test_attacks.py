"""The table of attacks: what it reads of a swarm, and that the tests which the documents name are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from core.protocol.codec import encode
from core.protocol.events import RoundFinished
from core.security.identity import Identity
from tests.attacks.documented import PAGE, documented_findings, documented_tests
from tests.attacks.swarm_attacks import ARRIVED, LIES, USUAL, WHAT, Cost, SwarmSize, attack_rows, cells, when, who
from tests.support.checkout import ROOT
from tests.support.peers.learning_peers import Training
from tests.support.peers.learning_rows import Outcome

OUTCOME = Outcome(
    row="gradients huge",
    losses=[[2.6, 2.4, 2.2, 2.0]] * 4 + [[9.0]],
    epochs=[3, 3, 3, 3, 3],
    rounds=[],
    failures=[],
    seconds=20.0,
    outliers=[[4], [], [4], [], []],
    named_after=[[3], [None], [2], [None], [None]],
    whole=[1.0, 0.5, 1.0, 0.5, 0.0],
    stalled=[0.1, 0.2, 2.0, 0.3, 60.0],
)


def test_what_an_attack_cost_is_what_the_honest_members_had_of_it() -> None:
    cost = Cost.of(OUTCOME, epochs=2, honest=4)
    assert cost == Cost(whole=0.75, loss=2.2, stalled=2.0, named=frozenset({4}), named_after=2, lost=())
    assert cells("a lie", "gradients", cost, cost, USUAL)[2:] == (
        "75%",
        "1.00",
        "2.0 s",
        "the liar, exchange 2",
        "nothing",
    )


def test_who_is_named_for_what_came_of_trying_out_its_changes_counts() -> None:
    tried = [[], [-0.02] * 4, [-0.03] * 4, [-0.02] * 4, [0.02] * 4]
    outcome = msgspec.structs.replace(OUTCOME, outliers=[[]] * 5, trials=[tried, *[[[]] * 5] * 4])
    assert Cost.of(outcome, epochs=2, honest=4).named == {4}


def test_a_failure_and_a_jump_to_an_epoch_that_nobody_has_are_losses() -> None:
    outcome = msgspec.structs.replace(OUTCOME, epochs=[3, 1003, 3, 3, 1003], failures=["member 2: state_not_loaded"])
    assert Cost.of(outcome, epochs=2, honest=4).lost == ("member 2: state_not_loaded", "member 1 is in epoch 1003")


def test_of_two_liars_the_last_one_that_anybody_named_says_how_soon_they_were_named() -> None:
    size = SwarmSize(honest=2, liars=2)
    outcome = msgspec.structs.replace(OUTCOME, named_after=[[1, None], [2, 4], [None, 1], [None, None]])
    assert outcome.last_named_after(size.honest) == 4
    assert outcome.is_named_soon()  # among themselves
    unnamed = msgspec.structs.replace(OUTCOME, named_after=[[1, None], [2, None], [None, 1], [None, None]])
    assert unnamed.last_named_after(size.honest) is None
    assert who(frozenset({2, 3}), size) + when(4, size) == "2 of 2 liars, the last of them in exchange 4"
    assert when(None, size) == ""


def test_an_exchange_counts_from_the_first_lie_on_and_each_liar_for_itself(tmp_path: Path) -> None:
    row = SwarmSize(honest=2, liars=2).row("gradients", "huge", 8)
    training = Training(row, tmp_path)
    *_, one, other = (Identity.load_or_create(tmp_path / str(member) / "identity.key").peer_id for member in range(4))

    def exchange(epoch: int, peers: int, *outliers: str, kind: Literal["gradients", "state"] = "gradients") -> bytes:
        return encode(RoundFinished(epoch=epoch, kind=kind, ok=True, peers=peers, seconds=1.0, outliers=outliers))

    told = (
        exchange(ARRIVED - 1, 4, other),  # before the first lie
        exchange(ARRIVED, 4, one),
        exchange(ARRIVED, 4, other, kind="state"),
        exchange(ARRIVED + 1, 2),  # without any liar
        exchange(ARRIVED + 2, 3),
        exchange(ARRIVED + 3, 4, one, other),
    )
    (tmp_path / "0" / "events").write_bytes(b"".join(told))
    assert training._named_after(tmp_path / "0") == [1, 3]
    assert training._named_after(tmp_path / "1") == [None, None]


def test_an_honest_member_that_was_named_is_no_liar() -> None:
    assert who(frozenset({1, 4}), USUAL) == "members 1, 4"
    assert who(frozenset(), USUAL) == "nobody"


def test_of_several_liars_it_is_said_how_many_were_named() -> None:
    size = SwarmSize(honest=7, liars=2)
    assert who(frozenset({7}), size) == "1 of 2 liars"
    assert size.row("gradients", "flip", 8).honest() == tuple(range(7))


def test_every_attack_has_a_row_beside_a_swarm_without_any() -> None:
    for mode, lies in LIES.items():
        everybody, *attacked = attack_rows(mode, lies, 8)
        assert everybody.honest() == (0, 1, 2, 3, 4)
        assert {row.honest() for row in attacked} == {(0, 1, 2, 3)}
        assert {row.members[-1].lie for row in attacked} == set(lies) <= set(WHAT)


@pytest.mark.parametrize("test", documented_tests())
def test_a_test_that_the_documents_name_is_there(test: str) -> None:
    path, _, name = test.partition("::")
    assert f"def {name}(" in (ROOT / path).read_text() if name else (ROOT / path).is_file()


def test_every_finding_of_the_review_has_its_row() -> None:
    assert documented_findings() == {*range(1, 27)}


def test_no_test_is_named_so_that_it_is_not_run() -> None:
    """A name without its file would not be found by `make attack`."""
    named = re.findall(r"`[^`]*::[^`]*`", PAGE.read_text())
    assert named and [each for each in named if each.strip("`") not in documented_tests()] == []
