"""The limits of attacks, tried on made-up outcomes: what has missed one is said in words, and nothing else is."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from tests.attacks import __main__ as command
from tests.attacks.limits import GROSS, STOPPING, judged, missed
from tests.attacks.swarm_attacks import LIES, NOBODY_LIES, USUAL, Cost, Mode, SwarmSize

HONEST = Cost(whole=1.0, loss=2.0, stalled=0.1, named=frozenset(), named_after=None, lost=())
NAMED = replace(HONEST, named=frozenset({4}), named_after=3)
WORSE = replace(NAMED, loss=2.21)


@pytest.mark.parametrize("mode", LIES)
def test_an_attack_that_costs_next_to_nothing_misses_nothing(mode: Mode) -> None:
    for lie in LIES[mode]:
        assert missed(lie, mode, replace(NAMED, loss=2.2, whole=0.9, stalled=5.0), HONEST, USUAL) == ()


def test_a_loss_of_more_than_a_tenth_above_the_honest_one_is_missed_by_lies_about_what_was_learned() -> None:
    assert missed("flip", "gradients", WORSE, HONEST, USUAL) == (
        "the loss is 1.105 times the honest one, at most 1.10",
    )
    assert missed("drift", "local-sgd", replace(NAMED, loss=float("nan")), HONEST, USUAL)
    assert missed("samples", "local-sgd", WORSE, HONEST, USUAL) == ()  # epochs that end early teach less


@pytest.mark.parametrize("lie", STOPPING)
def test_a_false_claim_may_neither_stop_anybody_nor_part_the_rounds(lie: str) -> None:
    mode: Mode = "local-sgd" if lie == "short" else "gradients"
    assert missed(lie, mode, replace(NAMED, stalled=5.1), HONEST, USUAL) == (
        "an honest member stood still for 5.1 s, at most 5 s",
    )
    assert missed(lie, mode, replace(NAMED, whole=0.894), HONEST, USUAL) == (
        "89.4% of the rounds were whole, at least 90%",
    )


@pytest.mark.parametrize(("after", "words"), [(None, "never"), (4, "in exchange 4")])
def test_all_who_lie_grossly_are_named_within_three_exchanges(after: int | None, words: str) -> None:
    late = replace(NAMED, named_after=after)
    for mode, lies in GROSS.items():
        for lie in lies:
            assert missed(lie, mode, late, HONEST, USUAL) == (
                f"the last of the liars was named {words}, at most in exchange 3",
            )
    assert missed("drift", "gradients", late, HONEST, USUAL) == ()


def test_what_was_lost_and_an_honest_member_that_was_named_are_missed_also_where_nobody_lies() -> None:
    cost = replace(HONEST, named=frozenset({1}), lost=("member 1 is in epoch 1003",))
    _honest, flip = judged("gradients", {NOBODY_LIES: HONEST, "flip": cost}, SwarmSize())
    assert flip.line[0] == "change or gradient × −1"
    assert flip.missed == ("member 1 is in epoch 1003", "an honest member was named")
    assert judged("gradients", {NOBODY_LIES: cost}, USUAL)[0].missed == flip.missed


@pytest.mark.parametrize(("loss", "code"), [(2.2, 0), (2.3, 1)])
def test_the_command_fails_and_says_at_its_end_what_was_missed(
    loss: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    costs = {NOBODY_LIES: HONEST, "drift": replace(HONEST, loss=loss)}
    monkeypatch.setattr(command, "_attacks", lambda mode, *_: judged(mode, costs, USUAL))
    monkeypatch.setattr(sys, "argv", ["attack", "--mode", "gradients", "--swarms-only"])
    assert command.main() == code
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("MISSED: 2 % away in each state round, gradients: the loss is 1.150") == bool(code)
