"""The run's own loss: measured by the organiser, signed, and seen by every volunteer."""

from __future__ import annotations

import math
from pathlib import Path
from time import time
from types import SimpleNamespace
from typing import cast

import msgspec
import pytest
from hivemind.dht import DHT
from hypothesis import given
from hypothesis import strategies as some

from core.protocol.events import Evaluated, RunScored
from core.run.manifest import EvaluationSpec
from core.run.signed_scores import MOST_SCORES, EvaluationHistory, Score, scores_in, sign_scores
from core.security.identity import Identity
from core.worker.swarm import Swarm
from core.worker.swarm.dht import evaluation_log
from core.worker.swarm.dht.evaluation_log import DHT_KIND, EvaluationLog, published_scores
from core.worker.swarm.dht.peer_values import dht_key
from tests.support.real_peers import PATIENCE_SECONDS, PeerGroup, tiny

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


def history(*scores: Score) -> EvaluationHistory:
    """Of the run, by rising epoch."""
    return EvaluationHistory("run", scores)


def test_keepers_complete_what_the_organiser_has_signed_and_its_own_word_is_the_last_one() -> None:
    late = 1e9 + 1000.0
    organiser = history(score(3), msgspec.structs.replace(score(6), at=late))
    early = history(score(3, 9.0), score(5), score(8))
    after = history(msgspec.structs.replace(score(9), at=late + 1))
    assert [each.epoch for each in organiser.completed_by([early, after]).scores] == [3, 5, 6, 9]
    assert organiser.completed_by([early]).scores[0] == score(3)
    assert history().completed_by([early, history(score(5, 2.0))]).scores == early.scores
    many = history(*map(score, range(MOST_SCORES)))
    assert len(organiser.completed_by([many]).scores) <= MOST_SCORES


def test_a_root_is_signed_as_long_as_the_base_weights_lead_on_from_it() -> None:
    rooted = history(*(Score(epoch=n, loss=1.0, at=1e9, steps=n, root=bytes([n] * 16)) for n in (1, 2)))
    assert scores_in(signed(rooted), ORGANISER.peer_id, "run") == rooted
    kept = rooted.only_roots({2: bytes([2] * 16), 1: bytes(16)})
    assert [each.root for each in kept.scores] == [b"", bytes([2] * 16)]
    assert history(score(1)).only_roots({}) == history(score(1))


class Log:
    """What an organiser has published and kept of its epochs, whose base weights have as many steps behind them."""

    def __init__(self, folder: Path, every_epochs: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.published = list[bytes]()
        publisher = SimpleNamespace(publish_instead=self.published.append)
        monkeypatch.setattr(evaluation_log, "Publisher", lambda *_: publisher)
        swarm = cast(Swarm, SimpleNamespace(identity=ORGANISER, dht=None, peer_id=ORGANISER.peer_id))
        self._file = folder / "scores"
        self._log = EvaluationLog(swarm, every_epochs, self._file, EvaluationHistory("run"))

    def roots_after(self, epoch: int, *roots: tuple[int, bytes]) -> list[tuple[int, bytes]]:
        """What is signed after that epoch, of base weights that have those behind them, each with its steps."""
        self._log.add(Evaluated(epoch=epoch, loss=1.0, accuracy=None), dict(roots))
        read = scores_in(self.published[-1], ORGANISER.peer_id, "run") if self.published else None
        assert read is None or self._file.read_bytes() == self.published[-1]
        return [(each.steps, each.root) for each in read.scores if each.root] if read else []


def test_a_root_is_signed_once_a_step_has_led_on_from_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a reducer was lost, an organiser may have taken a step that most of a group have not."""
    log = Log(tmp_path, 1, monkeypatch)
    one, wrong, right, next_one = (1, b"1"), (2, b"wrong"), (2, b"right"), (3, b"3")
    assert log.roots_after(1, one) == []
    assert log.roots_after(2, one, wrong) == [one]
    assert log.roots_after(3, one, right) == [one], "that of the evaluation before is none of the run's"
    assert log.roots_after(4, one, right, next_one) == [one, right]


@pytest.mark.parametrize("every_epochs", [3, MOST_SCORES + 20])
def test_the_root_of_a_seldom_evaluation_is_signed_one_step_later(
    every_epochs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the next evaluation nobody has base weights any more that lead on from those."""
    log, roots = Log(tmp_path, every_epochs, monkeypatch), [(steps, b"%d" % steps) for steps in range(200)]

    def after(epoch: int) -> list[tuple[int, bytes]]:
        return log.roots_after(epoch, *roots[max(0, epoch + 1 - MOST_SCORES) : epoch + 1])

    assert [after(epoch) for epoch in range(1, every_epochs + 1)] == [[]] * every_epochs
    assert after(every_epochs + 1) == [roots[every_epochs]]
    count = len(log.published)
    assert after(every_epochs + 2) == [roots[every_epochs]] and len(log.published) == count, "nothing has changed"


def test_a_full_history_with_roots_is_small_enough_to_be_read() -> None:
    scores = [Score(epoch=10**6 + n, loss=1.5, at=1.8e9, steps=10**6 + n, root=bytes(16)) for n in range(MOST_SCORES)]
    assert scores_in(signed(history(*scores)), ORGANISER.peer_id, "run") == history(*scores)


@pytest.mark.real
@pytest.mark.usefixtures("patient_reads")
def test_of_what_lies_in_the_dht_only_the_organiser_and_the_keepers_that_it_names_are_believed() -> None:
    keeper, key = Identity.create(), dht_key("run", DHT_KIND)
    dht = DHT(host_maddrs=["/ip4/127.0.0.1/tcp/0"], start=True)
    try:
        for subkey, by, epoch in (
            (ORGANISER.peer_id, ORGANISER, 1),
            (keeper.peer_id, keeper, 2),
            (STRANGER.peer_id, STRANGER, 3),
        ):
            assert dht.store(key, subkey=subkey, value=signed(history(score(epoch)), by), expiration_time=time() + 60)
        read = [published_scores(dht, "run", signers).scores for signers in ((), (ORGANISER.peer_id, keeper.peer_id))]
        assert read == [(), (score(1), score(2))]
        forged = signed(history(score(9)), STRANGER)
        assert dht.store(key, subkey=keeper.peer_id, value=forged, expiration_time=time() + 90)
        assert published_scores(dht, "run", (ORGANISER.peer_id, keeper.peer_id)).scores == (score(1),)
    finally:
        dht.shutdown()


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_volunteer_sees_the_losses_that_the_organiser_has_measured(group: PeerGroup) -> None:
    run = msgspec.structs.replace(tiny(), evaluation=EvaluationSpec(every_epochs=EVERY_EPOCHS))
    organiser = group.organiser(manifest=run)
    organiser.reaches(EVERY_EPOCHS)
    volunteer = group.volunteer(organiser.posted, "volunteer", "client")
    last = organiser.epoch + 2 * EVERY_EPOCHS
    volunteer.wait_for(RunScored, lambda event: event.latest.epoch >= last, seconds=PATIENCE_SECONDS)
    seen = {each.epoch: each.loss for event in volunteer.all(RunScored) for each in event.scores}
    organiser.wait_for(Evaluated, lambda event: event.epoch >= max(seen))
    measured = {each.epoch: each.loss for each in organiser.all(Evaluated)}
    assert all(epoch % EVERY_EPOCHS == 0 and loss == measured[epoch] for epoch, loss in seen.items())
    assert EVERY_EPOCHS in seen
