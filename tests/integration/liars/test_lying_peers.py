"""One liar of three who average gradients: the two others learn as if it were honest, and name it where it is gross."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from core.run.spec.collaboration import Aggregation
from tests.bench.liars.gradient_liars import GROSS, HONEST, LIAR, LIES, MAX_LIED_TO, honest_loss, liar_swarms
from tests.support.learning.asked_rows import rows_asked_for, seldom_but
from tests.support.peers.learning_rows import Lie, Member, Outcome, Row, learn, small_run
from tests.support.real_peers import peer_group

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1800)]

EPOCHS = 8
SIDE_BY_SIDE = 2
LEARNED = 0.9  # of the untrained loss is left at the most, after eight steps
WHOLE_WITHOUT_THE_SILENT = 0.6  # of the rounds: who answers nothing is left out once it was silent twice
AGREED_IN_STEPS = 0.1  # of the way, as a round may have missed one of three
DIFFERENT = tuple(f"all differ, {aggregation}" for aggregation in get_args(Aggregation))
OFTEN = {HONEST, "huge", "reducer", "all differ, centered-clip"}  # the others are marked `faults`


def rows() -> tuple[Row, ...]:
    """One swarm without a lie, one whose honest members differ for each way to aggregate, and one for each lie."""
    return *liar_swarms(EPOCHS), *map(_different, get_args(Aggregation), DIFFERENT)


def _different(aggregation: Aggregation, name: str) -> Row:
    """All are honest, but one is six times as fast as the others, and one takes a quarter of the micro-batch."""
    run = small_run(
        target_batch_size=960, matchmaking_time=2.0, grad_compression="float16", aggregation=aggregation, weight_cap=3.0
    )
    small = msgspec.structs.replace(
        run, collaboration=msgspec.structs.replace(run.collaboration, batch_size_per_step=4)
    )
    fast = Member(manifest=run, samples_per_second=180.0)
    slow = Member(manifest=run, mode="client", samples_per_second=30.0)
    return Row(name=name, members=(fast, slow, Member(manifest=small, samples_per_second=30.0)), epochs=EPOCHS)


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """What came of the rows that are asked for."""
    with peer_group(tmp_path_factory.mktemp("lying-peers")) as hired:
        return learn(hired, rows_asked_for(request, rows()), SIDE_BY_SIDE)


@pytest.mark.rows(HONEST)
@pytest.mark.parametrize("lie", seldom_but(OFTEN, LIES))
def test_a_liar_costs_the_others_next_to_nothing(outcomes: dict[str, Outcome], lie: Lie) -> None:
    assert outcomes[lie].failures == [], outcomes[lie].rounds
    ratio = honest_loss(outcomes[lie], EPOCHS) / honest_loss(outcomes[HONEST], EPOCHS)
    print(f"\n{lie}: {ratio:.3f} of the honest loss, named {outcomes[lie].outliers[:LIAR]}")
    assert ratio <= MAX_LIED_TO, outcomes[lie]


@pytest.mark.faults
@pytest.mark.rows("silent")
def test_rounds_are_whole_again_without_a_reducer_that_answers_nothing(outcomes: dict[str, Outcome]) -> None:
    whole = outcomes["silent"].whole[:LIAR]
    print(f"\nwhole {whole}, longest stand-still {outcomes['silent'].stalled[:LIAR]} s")
    assert min(whole) >= WHOLE_WITHOUT_THE_SILENT, outcomes["silent"]


@pytest.mark.parametrize("row", seldom_but(OFTEN, (HONEST, *DIFFERENT)))
def test_no_honest_peer_is_named(outcomes: dict[str, Outcome], row: str) -> None:
    assert outcomes[row].failures == [], outcomes[row].rounds
    assert not any(outcomes[row].outliers), outcomes[row]


@pytest.mark.parametrize("row", seldom_but(OFTEN, DIFFERENT))
def test_peers_who_differ_learn_and_agree_however_they_aggregate(outcomes: dict[str, Outcome], row: str) -> None:
    outcome = outcomes[row]
    assert all(outcome.remaining_loss(member) < LEARNED for member in range(3)), outcome.losses
    assert outcome.distance is not None and outcome.distance < AGREED_IN_STEPS, str(outcome)


@pytest.mark.parametrize("lie", seldom_but(OFTEN, LIES))
def test_nobody_but_the_liar_is_named(outcomes: dict[str, Outcome], lie: Lie) -> None:
    assert {named for each in outcomes[lie].outliers[:LIAR] for named in each} <= {LIAR}


@pytest.mark.parametrize("lie", seldom_but(OFTEN, GROSS))
def test_a_gross_liar_is_named(outcomes: dict[str, Outcome], lie: Lie) -> None:
    assert outcomes[lie].outliers[0] == [LIAR], outcomes[lie]
    assert outcomes[lie].is_named_soon(), outcomes[lie].named_after
