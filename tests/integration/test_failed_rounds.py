"""What peers make of a round that failed: a step of their own, and their way back to the others' rounds."""

from __future__ import annotations

import pytest

from tests.support.peers.learning_rows import Member, Row, learn, small_run
from tests.support.real_peers import PeerGroup

LEFT_OVER_AT = 4
LAST_EPOCH = 20
MIN_ROUNDS = 2  # of the 13 last ones: on a busy computer any round may fail, and the next one wait for its end
LIMIT_SECONDS = 560.0


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(700)
def test_parameters_are_averaged_again_after_a_round_that_was_left_over(group: PeerGroup) -> None:
    run = small_run(delay_grad_averaging=False, delay_optimizer_step=False)
    members = (Member(manifest=run), Member(manifest=run, left_over_at=LEFT_OVER_AT))
    row = Row(name="left over", members=members, epochs=LAST_EPOCH, limit_seconds=LIMIT_SECONDS)
    outcome = learn(group, (row,), 1, LIMIT_SECONDS + 40.0)["left over"]
    assert outcome.failures == []
    for rounds in outcome.rounds:
        together = {each.split(":")[0] for each in rounds if each.startswith("state") and ": 2 peers" in each}
        afterwards = together & {f"state {epoch}" for epoch in range(LEFT_OVER_AT + 3, LAST_EPOCH)}
        assert len(afterwards) >= MIN_ROUNDS, "\n\n".join("\n".join(each) for each in outcome.rounds)


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("averaging", ["at once", "delayed"])
def test_the_step_of_an_epoch_without_a_group_is_that_of_the_peers_own_gradient(
    group: PeerGroup, averaging: str
) -> None:
    script = group.script(averaging, "tests.support.peers.failed_gradient_rounds", averaging)
    number = script.until(lambda each: "reached" in each)
    assert number["reached"] == pytest.approx(number["expected"], rel=1e-4)
    assert number["failed"] > 1
