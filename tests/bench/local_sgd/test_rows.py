"""The arithmetic of the rows about local SGD, and which targets they reach."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.bench.local_sgd import codec_speed
from tests.bench.local_sgd.codec_speed import CodecSpeed
from tests.bench.local_sgd.gpt2 import HOME, Exchange, Gpt2, LineUse
from tests.bench.local_sgd.liars import liars_of
from tests.bench.local_sgd.memory import Looks, memory_of
from tests.bench.local_sgd.newcomer import Newcomer
from tests.bench.local_sgd.root_counts import RootCounts
from tests.bench.local_sgd.roots import Roots
from tests.bench.local_sgd.rows import LocalSgdMeasured, local_sgd_deeds, local_sgd_rows
from tests.bench.local_sgd.slow_peer import Others, SlowPeerMeasured
from tests.bench.plan import FULL, plan_for
from tests.bench.setup import Ground
from tests.bench.table import Row
from tests.support.peers.learning_rows import Outcome

EQUAL = Roots(RootCounts(equal=198, repaired=2, unrepaired=0, alone=1, astray=0), 600.0, Counter(kill=3))


def row(name: str, measured: LocalSgdMeasured) -> Row:
    """The first of that name."""
    return local_sgd_rows(measured)[name]()[0]


@pytest.mark.parametrize(
    "name", ["home_loss", "codec", "local_sgd_memory", "slow_peer", "roots", "newcomer", "gpt2", "liars"]
)
def test_what_was_not_measured_has_no_figure(name: str) -> None:
    assert row(name, LocalSgdMeasured()).is_reached is None
    assert name in FULL.rows


def test_the_rows_that_a_plan_wants_are_measured() -> None:
    ground = Ground.__new__(Ground)
    deeds = local_sgd_deeds(plan_for(("codec", "roots", "home_line"), is_quick=True), ground, LocalSgdMeasured())
    assert list(deeds) == ["codec", "roots"]


def test_the_speed_is_that_of_the_quickest_call(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 2.0, 2.0, 2.5, 3.0, 6.0])
    monkeypatch.setattr(codec_speed, "perf_counter", lambda: next(clock))
    assert codec_speed.best_rate(lambda: None, 2_000_000, times=3) == 4.0


@pytest.mark.parametrize(("decode", "is_reached"), [(1000.0, True), (999.0, False)])
def test_int8_must_be_encoded_and_decoded_so_fast(decode: float, is_reached: bool) -> None:
    speed = CodecSpeed(encode=400.0, decode=decode, long_encode=1.0, long_decode=1.0)
    rows = local_sgd_rows(LocalSgdMeasured(codecs={"int8": speed, "int4": speed}))["codec"]()
    assert {each.what.split(":")[0]: each.is_reached for each in rows} == {
        "fp16": None,
        "int8": is_reached,
        "int4": True,
        "topk": None,
    }


def test_memory_is_what_grows_with_the_model() -> None:
    volunteers = Looks(parameters=1100, most=40_000, median=30_500), Looks(parameters=100, most=5_000, median=4_500)
    plain = Looks(parameters=1100, most=20_000, median=20_000), Looks(parameters=100, most=4_000, median=4_000)
    memory = memory_of(volunteers, plain)
    assert (memory.volunteer_most, memory.plain_most) == (35.0, 16.0)
    assert (memory.beyond_most, memory.beyond_median) == (19.0, 10.0)
    assert row("local_sgd_memory", LocalSgdMeasured(memory=memory)).is_reached is False


def test_the_others_are_compared_with_themselves_without_the_slow_one() -> None:
    free = Others(samples_per_second=500.0, stall_seconds=0.1, rounds=18, whole_rounds=18)
    figures = {"without": free, "with": replace(free, samples_per_second=495.0)}
    shown = row("slow_peer", LocalSgdMeasured(slow_peer=SlowPeerMeasured(figures)))
    assert shown.ours.startswith("0.99 (18 of 18 rounds whole") and shown.is_reached


def test_all_rounds_must_be_equal_or_repaired() -> None:
    assert row("roots", LocalSgdMeasured(roots=EQUAL)).is_reached
    parted = replace(EQUAL, counts=replace(EQUAL.counts, unrepaired=1))
    assert row("roots", LocalSgdMeasured(roots=parted)).is_reached is False


@pytest.mark.parametrize(
    ("from_three", "after_cut", "roots", "reached"),
    [
        (24.0, 0.35, 1, [True, True]),
        (26.0, 0.36, 1, [False, False]),
        (20.0, 0.30, 2, [False, False]),
    ],
)
def test_three_donors_must_be_faster_than_one_and_a_cut_must_cost_little(
    from_three: float, after_cut: float, roots: int, reached: list[bool]
) -> None:
    measured = Newcomer(32_000_000, 60.0, from_three, 0.3, after_kill=after_cut, roots=roots)
    rows = local_sgd_rows(LocalSgdMeasured(newcomer=measured))["newcomer"]()
    assert [each.is_reached for each in rows] == reached


@pytest.mark.parametrize(
    ("outliers", "last", "is_reached"),
    [([2], 2.1, True), ([2], 2.3, False), ([], 2.1, False), ([2, 1], 2.1, False)],
)
def test_a_liar_must_be_named_alone_and_cost_the_others_little(
    outliers: list[int], last: float, is_reached: bool
) -> None:
    def swarm(loss: float, by_organiser: list[int]) -> Outcome:
        losses, named = [[4.0, loss]] * 3, [by_organiser, [], []]
        return Outcome(
            row="", losses=losses, epochs=[6], rounds=[], failures=[], seconds=1.0, distance=0.0, outliers=named
        )

    measured = liars_of(swarm(2.0, []), swarm(last, outliers), rounds=6)
    assert row("liars", LocalSgdMeasured(liars=measured)).is_reached is is_reached


@pytest.mark.parametrize(("seconds", "whole", "is_reached"), [(25.9, 10, True), (26.1, 10, False), (25.9, 9, False)])
def test_an_exchange_of_gpt2_takes_hardly_longer_than_the_line_for_its_bytes(
    seconds: float, whole: int, is_reached: bool
) -> None:
    longest, other = Exchange(seconds, 125_000_000), Exchange(21.0, 125_000_000)  # 20 s of the line
    measured = Gpt2(124_000_000, (other, longest, other), 10, whole, True, (10.7, 2.9), 0.1)
    found = row("gpt2", LocalSgdMeasured(gpt2=measured))
    assert found.is_reached is is_reached
    assert f"({other.times_longer:.2f})" in found.cells[1]


def test_an_exchange_lasts_from_the_first_busy_moment_of_its_stretch_to_the_average() -> None:
    line = int(HOME.bits_per_second / 8)
    use = LineUse()
    sent = 0
    for second in range(60):
        use.note(float(second), sent, 2 * sent)
        is_busy = second in range(5, 8) or second in range(20, 40)  # a measured upload, and the exchange
        sent += line if is_busy and second != 30 else 100
    found = use.exchange_before(41.5)
    assert found is not None
    assert found.seconds == 41.5 - 20
    assert found.times_longer == pytest.approx(21.5 / 38, rel=0.01)
    assert use.exchange_before(3.0) is None
