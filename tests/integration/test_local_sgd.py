"""Local SGD between real peers: all learn, and their base weights are equal to the last bit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import torch

from core.protocol.codec import decode_event
from core.protocol.events import Evaluated
from core.run.spec.recipe import ArithmeticGPT
from core.worker.recipes import build
from core.worker.swarm.local_sgd.codecs.encoded_tensors import EncodedTensors
from core.worker.swarm.local_sgd.codecs.wire import codec
from tests.attacks.swarm_attacks import harmful
from tests.support.learning.asked_rows import rows_asked_for, seldom_but
from tests.support.peers.learning_rows import Member, Outcome, Row, learn, local_sgd_run
from tests.support.real_peers import peer_group

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1600)]

EPOCHS = 7
LEARNED = 0.75  # of the untrained loss is left at the most
SIDE_BY_SIDE = 2
LIMIT_SECONDS = 1500.0  # for all rows together, of which two train at a time
JOINED = "keeper, client and newcomer"
DIFFERS = "keeper and one who differs"
LIAR = "one liar of four"
BY_THE_CLOCK = "rounds that end by the clock"
MOST_STEPS = 40
LATE_SECONDS = 2.5  # others step so long after a round was missed: later than one asks for the second time
SPARSE = "only the largest changes"
NONSENSE = "two who send nonsense"
REDUCER = "a reducer that returns the opposite"
BENT = "a reducer that bends averages, and a keeper that audits"
CLAIMS = "one of two who claims a billion samples"
FLIPPED = "a liar whose changes are tried out"
TIE = "two that differ without an organiser"
SLOW = "one ten times slower, overlapped, in 4 bits"
BROKEN = "one whose model breaks"
LONG = "exchanges that outlast their rounds"
SELDOM = {FLIPPED, NONSENSE, CLAIMS, LONG, BROKEN}  # these are marked `faults`
MISSES = "keeper, client and one who misses a round"


def rows() -> tuple[Row, ...]:
    """A keeper with a client and a newcomer; one whose base weights differ; two who train during the exchange."""
    plain = local_sgd_run()
    overlapped = local_sgd_run(overlap="delayed", delta_codec="int4", matchmaking_time=2.0)
    keeper, client = Member(manifest=plain, keeps=True), Member(manifest=plain, mode="client")
    late = Member(manifest=plain, mode="client", late=True)
    in_parts = msgspec.structs.replace(plain, recipe=ArithmeticGPT())
    differing = Member(manifest=in_parts, diverges_at=3)
    trains_on = local_sgd_run(overlap="delayed", target_batch_size=2560)  # rounds in which a repair has time
    missed = (
        Member(manifest=trains_on, keeps=True, sends_late=LATE_SECONDS),
        Member(manifest=trains_on, mode="client", sends_late=LATE_SECONDS),
    )
    missing = Member(manifest=trains_on, mode="client", misses_rounds_from=3)
    of_four = local_sgd_run(target_batch_size=1280, matchmaking_time=2.0)  # as many steps of each as for two
    honest = Member(manifest=of_four, mode="client", samples_per_second=80.0)  # in four seconds, to meet in two
    liar = msgspec.structs.replace(honest, lies_from=2)
    by_the_clock = {"target_batch_size": 1_000_000, "max_round_seconds": 6.0}  # 60 to 100 steps
    resting = Member(manifest=local_sgd_run(inner_steps_max=MOST_STEPS, **by_the_clock))
    uncounted = Member(manifest=local_sgd_run(3e-4, inner_steps_min=1000, **by_the_clock), mode="client")
    talking = [Member(manifest=of_four, mode="client", lies_from=0, lie=lie) for lie in ("nan", "short")]
    opposite = Member(manifest=of_four, samples_per_second=80.0, lies_from=0, lie="reducer")
    blind = msgspec.structs.replace(honest, mode="direct", audits=0.0)
    auditor = msgspec.structs.replace(blind, audits=1.0)
    trying = Member(manifest=of_four, keeps=True, tries=4)
    claiming = Member(manifest=plain, mode="client", lies_from=2, lie="zero")
    flipping = msgspec.structs.replace(honest, lies_from=0, lie="flip")
    bent = msgspec.structs.replace(opposite, lie="bent")
    alone = Member(manifest=plain, has_organiser=False, audits=1.0)
    pair = Member(manifest=overlapped), Member(manifest=overlapped, mode="client", samples_per_second=16.0)
    outlasted = local_sgd_run(overlap="delayed", target_batch_size=320)
    outlasting = Member(manifest=outlasted, mode="client", sends_late=2 * LATE_SECONDS)
    unlike = msgspec.structs.replace(outlasting, diverges_at=3)
    sparse = local_sgd_run(delta_codec="topk", outer_lr=1.0, outer_momentum=0.0)
    return (
        Row(name=JOINED, members=(keeper, client, late), epochs=EPOCHS),
        Row(name=DIFFERS, members=(Member(manifest=in_parts, keeps=True), differing), epochs=EPOCHS),
        Row(name=MISSES, members=(*missed, missing), epochs=EPOCHS - 2),
        # of three honest ones another may miss a round; one liar of two senders is half of them
        Row(
            name=LIAR,
            members=(Member(manifest=of_four, keeps=True), *[honest] * 3, liar),
            epochs=EPOCHS,
            awaited_names=1,
        ),
        Row(name=CLAIMS, members=(Member(manifest=plain), claiming), epochs=EPOCHS),
        Row(name=NONSENSE, members=(Member(manifest=of_four), honest, *talking), epochs=EPOCHS),
        Row(
            name=REDUCER,
            members=(msgspec.structs.replace(honest, mode="direct"), honest, honest, opposite),
            epochs=EPOCHS,
            awaited_names=1,
        ),
        Row(name=BENT, members=(blind, auditor, honest, bent), epochs=EPOCHS, keepers=(1,), awaited_names=2),
        Row(name=FLIPPED, members=(trying, *[honest] * 3, flipping), epochs=EPOCHS + 3),
        Row(name=TIE, members=(alone, msgspec.structs.replace(alone, diverges_at=3)), epochs=EPOCHS),
        Row(name=BY_THE_CLOCK, members=(resting, uncounted), epochs=4),
        Row(name=LONG, members=(Member(manifest=outlasted, keeps=True), outlasting, unlike), epochs=EPOCHS + 2),
        Row(name=BROKEN, members=(keeper, msgspec.structs.replace(client, breaks_at=3)), epochs=EPOCHS),
        Row(name=SLOW, members=pair, epochs=EPOCHS),
        Row(name=SPARSE, members=(Member(manifest=sparse), Member(manifest=sparse, mode="client")), epochs=EPOCHS),
    )


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """What came of the rows that are asked for."""
    with peer_group(tmp_path_factory.mktemp("local-sgd")) as hired:
        return learn(hired, rows_asked_for(request, rows()), SIDE_BY_SIDE, LIMIT_SECONDS)


@pytest.mark.parametrize("row", seldom_but({row.name for row in rows()} - SELDOM, rows()))
def test_all_learn_and_have_the_same_base_weights(outcomes: dict[str, Outcome], row: Row) -> None:
    outcome = outcomes[row.name]
    assert outcome.failures == []
    assert outcome.distance == 0.0, outcome.rounds
    assert all(outcome.remaining_loss(member) < LEARNED for member in row.honest()), outcome.losses


@pytest.mark.rows(MISSES)
def test_who_has_missed_a_round_replays_it_and_keeps_what_it_has_learned_since(outcomes: dict[str, Outcome]) -> None:
    assert outcomes[MISSES].caught_up[2] >= 1, outcomes[MISSES]
    assert outcomes[MISSES].kept[2] >= 1, outcomes[MISSES]
    assert outcomes[MISSES].downloads == [0, 0, 0], outcomes[MISSES]


@pytest.mark.rows(MISSES, DIFFERS)
def test_who_has_missed_a_round_or_has_wrong_weights_trains_on_while_the_right_ones_come(
    outcomes: dict[str, Outcome],
) -> None:
    assert outcomes[MISSES].repaired[2] + outcomes[DIFFERS].repaired[1] >= 1, outcomes


@pytest.mark.faults
@pytest.mark.rows(LONG)
def test_wrong_weights_are_replaced_also_where_one_exchange_follows_on_another(outcomes: dict[str, Outcome]) -> None:
    keeper, client, differing = outcomes[LONG].downloads
    assert keeper == client == 0 < differing, outcomes[LONG]


@pytest.mark.rows(SLOW)
def test_one_that_is_ten_times_slower_takes_fewer_steps_and_what_it_has_changed_counts(
    outcomes: dict[str, Outcome],
) -> None:
    fast, slow = outcomes[SLOW].steps
    averaged = len(outcomes[SLOW].round_seconds[1])  # fewer than epochs, where it has arrived late on a busy computer
    assert fast > slow > 0 and outcomes[SLOW].counted[1] >= max(1, averaged - 1), str(outcomes[SLOW])


def encoded_bytes(row: str) -> int:
    """The length of what a member of that row sends in a round, by its codec."""
    (manifest,) = {member.manifest for each in rows() if each.name == row for member in each.members}
    how = codec(manifest.collaboration.delta_codec)
    model = build(manifest, seed=1, device=torch.device("cpu")).model
    return sum(map(how.size, EncodedTensors([each.shape for each in model.parameters()], how).lengths()))


@pytest.mark.rows(SLOW)
def test_the_average_of_a_round_in_4_bits_is_as_long_as_what_each_sends(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[SLOW]
    assert outcome.round_bytes == encoded_bytes(SLOW) < 0.6 * outcome.shared_numbers


@pytest.mark.rows(SPARSE)
def test_the_average_of_the_largest_changes_of_two_is_at_most_as_long_as_what_both_send(
    outcomes: dict[str, Outcome],
) -> None:
    """A number that both have sent is in it once, and tensors of 32 numbers have no 64 of them."""
    sent = encoded_bytes(SPARSE)
    assert 0.5 * sent < outcomes[SPARSE].round_bytes <= 2 * sent < 0.3 * outcomes[SPARSE].shared_numbers


@pytest.mark.rows(LIAR)
def test_the_liar_is_named_by_who_reduces_and_nobody_else_is(outcomes: dict[str, Outcome]) -> None:
    keeper, *others = outcomes[LIAR].outliers
    assert keeper == [4] and not any(others), outcomes[LIAR].outliers
    assert outcomes[LIAR].is_named_soon(), outcomes[LIAR].named_after


@pytest.mark.faults
@pytest.mark.rows(CLAIMS)
def test_one_of_two_who_claims_a_billion_samples_is_named_and_counts_for_those_that_it_has_reported(
    outcomes: dict[str, Outcome],
) -> None:
    """Its changes are zeros: they would be the average, if they counted for what it claims."""
    assert outcomes[CLAIMS].outliers[0] == [1], outcomes[CLAIMS].outliers
    assert outcomes[CLAIMS].is_named_soon(), outcomes[CLAIMS].named_after


@pytest.mark.rows(LIAR)
def test_the_liar_itself_is_told_that_what_it_has_changed_was_left_out_and_nobody_else_is(
    outcomes: dict[str, Outcome],
) -> None:
    """Who sends what it has changed in more rounds than the others, or of more samples, is cut down; never left out."""
    *honest, liar = outcomes[LIAR].least_shares
    assert liar == 0.0 < min(honest), outcomes[LIAR].least_shares


@pytest.mark.faults
@pytest.mark.rows(NONSENSE)
def test_who_sends_parts_that_are_no_numbers_or_too_short_is_left_out_and_named(outcomes: dict[str, Outcome]) -> None:
    organiser, *_ = outcomes[NONSENSE].outliers
    assert organiser == [2, 3], outcomes[NONSENSE].outliers
    assert outcomes[NONSENSE].is_named_soon(), outcomes[NONSENSE].named_after


def counts_in_most_rounds(outcome: Outcome, member: int) -> bool:
    """Whether what it has changed counted in all its rounds but three; on a busy computer it is not in every round."""
    averaged = min(EPOCHS, len(outcome.round_seconds[member]))
    return outcome.counted[member] >= max(1, averaged - 3)


@pytest.mark.rows(REDUCER)
def test_a_reducer_that_returns_the_opposite_is_named_and_left_out(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[REDUCER]
    assert [3] in outcome.outliers[:3], outcome.outliers
    assert all(named in ([], [3]) for named in outcome.outliers), "whom the others have left out, one need not meet"
    assert all(counts_in_most_rounds(outcome, member) for member in range(3)), outcome.rounds


@pytest.mark.rows(BENT)
def test_a_reducer_that_bends_averages_is_named_by_who_averages_them_again_and_left_out(
    outcomes: dict[str, Outcome],
) -> None:
    """Organiser and client average nothing twice; whose line broke when it was told reads it half a minute later."""
    outcome = outcomes[BENT]
    organiser, keeper, client, _ = outcome.outliers
    assert keeper == [3], outcome.outliers
    assert [3] in (organiser, client) and all(named in ([], [3]) for named in (organiser, client)), outcome.outliers
    assert all(counts_in_most_rounds(outcome, member) for member in range(3)), outcome.rounds


@pytest.mark.faults
@pytest.mark.rows(FLIPPED)
def test_whose_changes_make_the_held_out_loss_worse_is_named_by_the_organiser_and_nobody_else_is(
    outcomes: dict[str, Outcome],
) -> None:
    tried, *others = outcomes[FLIPPED].trials
    assert harmful(tried) == {4}, tried
    *honest, liar = outcomes[FLIPPED].least_shares
    assert liar == 0.0 < min(honest), "what points against all others is in no average"
    assert not any(map(any, others)), "nobody but organiser and keepers asks for what others have changed"


@pytest.mark.rows(TIE)
def test_of_two_that_differ_without_an_organiser_one_takes_the_weights_of_the_other(
    outcomes: dict[str, Outcome],
) -> None:
    assert sorted(map(bool, outcomes[TIE].downloads)) == [False, True], outcomes[TIE]
    assert outcomes[TIE].outliers == [[], []], "each has averaged all of the other's parts once more"


@pytest.mark.rows(BY_THE_CLOCK)
def test_nobody_takes_more_steps_than_the_run_allows_and_who_takes_too_few_does_not_count(
    outcomes: dict[str, Outcome],
) -> None:
    outcome = outcomes[BY_THE_CLOCK]
    assert outcome.steps[0] == MOST_STEPS < outcome.steps[1]
    assert outcome.counted[0] >= 3 and outcome.counted[1] == 0, str(outcome)


@pytest.mark.rows(DIFFERS)
def test_of_two_that_differ_the_organisers_weights_are_right(outcomes: dict[str, Outcome]) -> None:
    keeper, differing = outcomes[DIFFERS].downloads
    assert keeper == 0 and differing >= 1, outcomes[DIFFERS]


@pytest.mark.rows(DIFFERS)
def test_who_differs_in_one_tensor_fetches_only_the_parts_with_it(outcomes: dict[str, Outcome]) -> None:
    """Not the parts of a state that it may have begun with, where it was late on a busy computer."""
    assert any(0 < fetched < parts / 4 for parts, fetched in outcomes[DIFFERS].parts_fetched[1]), outcomes[DIFFERS]


def test_the_demo_learns_in_two_rounds_what_takes_many_epochs_of_gradients(tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "core.cli",
        "demo",
        "--mode",
        "local-sgd",
        "--epochs",
        "2",
        "--json",
    ]  # it may come too late for the first round
    home = os.environ | {"WORKERBEE_HOME": str(tmp_path)}
    said = subprocess.run(words, env=home, stdout=subprocess.PIPE, timeout=600, check=True).stdout
    evaluated = [event for event in map(decode_event, said.splitlines()) if isinstance(event, Evaluated)]
    assert evaluated[-1].loss is not None and evaluated[-1].loss < 1.0  # 3.3 at first, 2.9 after an epoch of gradients
