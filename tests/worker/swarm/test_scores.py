"""The run's own loss: measured by the organiser, signed, and seen by every volunteer."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.protocol.events import Evaluated, RunScored
from core.run.manifest import EvaluationSpec
from core.run.signed_scores import MOST_SCORES, EvaluationHistory, Score, scores_in, sign_scores
from core.security.identity import Identity
from tests.support.real_peers import PeerGroup, tiny

ORGANISER, STRANGER = Identity.create(), Identity.create()
EVERY_EPOCHS = 2


def score(epoch: int, loss: float = 1.0) -> Score:
    """Measured at some time."""
    return Score(epoch=epoch, loss=loss, at=1e9 + epoch)


def signed(scores: EvaluationHistory, by: Identity = ORGANISER) -> bytes:
    """As it is published."""
    return sign_scores(scores, by)


def test_what_the_organiser_has_signed_is_read() -> None:
    scores = EvaluationHistory("run").with_score(score(1)).with_score(score(2))
    assert scores_in(signed(scores), ORGANISER.peer_id, "run") == scores
    assert scores.since(1) == (score(2),)


@pytest.mark.parametrize(
    "encoded",
    [
        signed(EvaluationHistory("run", (score(1),)), by=STRANGER),
        signed(EvaluationHistory("another", (score(1),))),
        signed(EvaluationHistory("run", (score(1, math.nan),))),
        signed(EvaluationHistory("run", tuple(map(score, range(MOST_SCORES + 1))))),
        msgspec.msgpack.encode({"payload": b"", "signature": b"", "code": b""}),
    ],
    ids=["a stranger's", "of another run", "no number", "too many", "more fields"],
)
def test_anything_else_is_nothing(encoded: bytes) -> None:
    assert scores_in(encoded, ORGANISER.peer_id, "run") is None


@given(some.binary(max_size=200))
def test_no_bytes_are_too_much(encoded: bytes) -> None:
    assert scores_in(encoded, ORGANISER.peer_id, "run") is None


def test_only_the_latest_are_kept_and_a_run_that_goes_back_forgets_what_comes_after() -> None:
    scores = EvaluationHistory("run")
    for epoch in range(2 * MOST_SCORES):
        scores = scores.with_score(score(epoch))
    assert [each.epoch for each in scores.scores] == [*range(MOST_SCORES, 2 * MOST_SCORES)]
    back = scores.with_score(score(MOST_SCORES + 1, 9.0))
    assert back.scores == (score(MOST_SCORES), score(MOST_SCORES + 1, 9.0))


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_volunteer_sees_the_losses_that_the_organiser_has_measured(group: PeerGroup) -> None:
    run = msgspec.structs.replace(tiny(), evaluation=EvaluationSpec(every_epochs=EVERY_EPOCHS))
    organiser = group.organiser(manifest=run)
    organiser.reaches(EVERY_EPOCHS)
    volunteer = group.volunteer(organiser.posted, "volunteer", "client")
    last = organiser.epoch + 2 * EVERY_EPOCHS
    volunteer.wait_for(RunScored, lambda event: event.latest.epoch >= last)
    seen = {each.epoch: each.loss for event in volunteer.all(RunScored) for each in event.scores}
    measured = {each.epoch: each.loss for each in organiser.all(Evaluated)}
    assert all(epoch % EVERY_EPOCHS == 0 and loss == measured[epoch] for epoch, loss in seen.items())
    assert EVERY_EPOCHS in seen
