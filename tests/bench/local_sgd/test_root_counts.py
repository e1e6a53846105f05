"""Which rounds left all peers with equal base weights."""

from __future__ import annotations

from tests.bench.local_sgd.recorded_peers import Move
from tests.bench.local_sgd.root_counts import RootCounts, root_counts


def moves(words: str) -> list[Move]:
    """``2a`` is a step to root a with two outer steps behind it, ``=2a`` the same root in another way."""
    told = [(word.removeprefix("="), not word.startswith("=")) for word in words.split()]
    return [
        Move(at=float(at), is_step=is_step, steps=int(word[:-1]), root=word[-1])
        for at, (word, is_step) in enumerate(told)
    ]


def counted(*peers: str) -> RootCounts:
    """Of peers that have moved so."""
    return root_counts({str(number): moves(words) for number, words in enumerate(peers)})


def test_rounds_whose_takers_have_one_root_are_equal() -> None:
    assert counted("=0a 1b 2c", "=0a 1b 2c", "=1b 2c") == RootCounts(2, 0, 0, 0, 0)


def test_a_round_that_others_replay_is_of_one_peer() -> None:
    assert counted("=0a 1b 2c", "=0a =1b 2c") == RootCounts(1, 0, 0, 1, 0)


def test_who_has_another_root_and_takes_the_right_one_before_its_next_step_was_repaired() -> None:
    assert counted("1b 2c 3d", "1b 2c 3d", "1x =2c 3d") == RootCounts(2, 1, 0, 0, 0)
    assert counted("1b 2c 3d", "1b 2c 3d", "1x =1b 2c 3d") == RootCounts(2, 1, 0, 0, 0)


def test_of_two_that_differ_the_one_that_is_repaired_had_the_wrong_root() -> None:
    assert counted("1b =1c 2d", "1c 2d") == RootCounts(1, 1, 0, 0, 0)
    assert counted("1c 2d", "1b =2d") == counted("1b =2d", "1c 2d") == RootCounts(0, 1, 0, 1, 0)
    assert counted("1b 2d", "1c 2d") == RootCounts(1, 0, 1, 0, 0)
    assert counted("1b", "1c") == RootCounts(0, 1, 0, 0, 1)


def test_where_most_give_up_their_root_the_right_one_is_that_from_which_all_go_on() -> None:
    assert counted("1b =1c 2d", "1b =1c 2d", "1c 2d") == RootCounts(1, 1, 0, 0, 0)
    assert counted("1b =1c 2d", "1b 2e", "1c 2d") == RootCounts(0, 1, 1, 0, 1)


def test_who_has_no_base_weights_yet_has_no_wrong_ones() -> None:
    assert counted("1b 2c", "1b 2c", "1x =2c", "") == RootCounts(1, 1, 0, 0, 0)


def test_who_steps_on_from_a_wrong_root_or_is_repaired_too_late_was_not() -> None:
    assert counted("1b 2c 3d", "1b 2c 3d", "1x 2y =3d") == RootCounts(1, 1, 1, 0, 0)
    assert counted("1b 2c 3d 4e", "1b 2c 3d 4e", "1x =3d 4e") == RootCounts(3, 0, 1, 0, 0)
    assert counted("1b 2c", "1b 2c", "1x =2z") == RootCounts(1, 0, 1, 0, 1)


def test_who_takes_a_wrong_step_while_the_others_take_the_next_one_may_be_repaired_in_the_one_after() -> None:
    assert counted("0a 1b 2c 3d 4e", "0a 1b 2c 3d 4e", "0a =0a 1x =3d 4e") == RootCounts(4, 1, 0, 0, 0)
    assert counted("0a 1b 2c 3d 4e", "0a 1b 2c 3d 4e", "0a =0a 1x =4e") == RootCounts(4, 0, 1, 0, 0)


def test_who_takes_a_wrong_step_long_before_the_others_take_the_right_one_may_be_repaired_in_the_one_after() -> None:
    late = "0a =0a =0a =0a =0a 1b 2c"
    assert counted(late, late, "0a 1x =2c") == RootCounts(2, 1, 0, 0, 0)
    assert counted(f"{late} 3d", f"{late} 3d", "0a 1x =3d") == RootCounts(3, 0, 1, 0, 0)


def test_who_leaves_with_a_wrong_root_is_astray() -> None:
    assert counted("1b", "1b", "1x") == RootCounts(0, 1, 0, 0, 1)


def test_who_is_told_to_be_gone_is_not_astray() -> None:
    peers = {name: moves(words) for name, words in (("first", "1b"), ("second", "1b"), ("killed", "1x"))}
    assert root_counts(peers, gone=["killed"]) == RootCounts(0, 1, 0, 0, 0)


def test_the_share_is_of_the_rounds_that_several_took() -> None:
    assert counted("1b 2c", "1b 2c", "1x =2z").share == 0.5
    assert counted("1b").share is None
