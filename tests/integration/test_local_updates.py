"""Local updates: every volunteer steps its own parameters, which are averaged once an epoch."""

from __future__ import annotations

import msgspec
import pytest

from core.run.spec.optimizer import AdamW
from tests.support.peers.learning_rows import AGREED, Member, Outcome, Row, learn, small_run
from tests.support.real_peers import peer_group

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]

EPOCHS = 4
LEARNED = 0.7  # of the untrained loss is left at the most
AGREED_IN_STEPS = 0.5
"""Of the way that all have come: between two of the averagings everybody steps alone, and one may miss the last one.

A keeper that had taken nothing over would be the whole way away.
"""
RUN = msgspec.structs.replace(
    small_run(use_local_updates=True, delay_grad_averaging=False, delay_optimizer_step=False),
    optimizer=AdamW(learning_rate=5e-3),
)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Two volunteers who only connect outwards, of whom one comes later."""
    return learned(
        tmp_path_factory, Member(manifest=RUN, mode="client"), Member(manifest=RUN, mode="client", late=True)
    )


def learned(tmp_path_factory: pytest.TempPathFactory, *volunteers: Member) -> Outcome:
    """What becomes of a keeper and these."""
    keeper = Member(manifest=volunteers[0].manifest, keeps=True)
    row = Row(name="local", members=(keeper, *volunteers), epochs=EPOCHS)
    with peer_group(tmp_path_factory.mktemp("local")) as hired:
        return learn(hired, (row,), side_by_side=1)["local"]


def test_volunteers_learn_though_the_keeper_does_not_train(trained: Outcome) -> None:
    assert trained.failures == []
    for member in range(3):
        assert trained.remaining_loss(member) < LEARNED, trained.losses[member]


def test_the_keeper_has_what_the_volunteers_have_learned(trained: Outcome) -> None:
    assert trained.distance is not None, trained.rounds
    assert trained.distance < AGREED_IN_STEPS, trained.rounds


def test_everybody_is_in_the_same_epoch(trained: Outcome) -> None:
    """Or in one after it: those who have ended it go on, while a busy computer lets another one wait."""
    assert min(trained.epochs) >= EPOCHS
    assert max(trained.epochs) - min(trained.epochs) <= 2


def test_the_keepers_parameters_do_not_count(tmp_path_factory: pytest.TempPathFactory) -> None:
    outcome = learned(tmp_path_factory, Member(manifest=RUN))
    assert outcome.failures == []
    assert outcome.moved, outcome.rounds
    keeper, volunteer = outcome.moved
    assert keeper > 10 * volunteer
    assert volunteer < AGREED
