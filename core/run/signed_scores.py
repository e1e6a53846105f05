"""Evaluations of a run on its validation set, measured and signed by the organiser's peer."""

from __future__ import annotations

import math
from typing import Annotated

import msgspec
from msgspec import Meta

from core.run.signed_record import sign_record, signed_value
from core.schema import Count, StrictStruct
from core.security.identity import Identity

MOST_SCORES = 64  # of a run that are told; the latest
MAX_SCORES_BYTES = 8 * 1024
_KIND = b"workerbee run scores 1:"


class Score(StrictStruct, kw_only=True, frozen=True):
    """The loss on the validation set after an epoch, measured at a time in seconds since 1970."""

    epoch: Count
    loss: float
    at: Annotated[float, Meta(ge=0, le=2**33)]


class EvaluationHistory(StrictStruct, frozen=True):
    """The evaluations of one run, by rising epoch."""

    run_id: str
    scores: Annotated[tuple[Score, ...], Meta(max_length=MOST_SCORES)] = ()

    def with_score(self, score: Score) -> EvaluationHistory:
        """The history with one more score; those of its epoch and later, from before a restart, are dropped."""
        earlier = tuple(each for each in self.scores if each.epoch < score.epoch)
        return EvaluationHistory(self.run_id, (*earlier, score)[-MOST_SCORES:])

    def since(self, epoch: Count) -> tuple[Score, ...]:
        """The scores of later epochs than that one."""
        return tuple(each for each in self.scores if each.epoch > epoch)


def sign_scores(scores: EvaluationHistory, identity: Identity) -> bytes:
    """The history in the form in which it will be read, signed."""
    return sign_record(_KIND, msgspec.msgpack.encode(scores), identity)


def scores_in(encoded: bytes, organiser: str, run_id: str) -> EvaluationHistory | None:
    """The history that an organiser has signed of a run; ``None`` for anything else."""
    scores = signed_value(_KIND, encoded, organiser, MAX_SCORES_BYTES, EvaluationHistory)
    if scores is None or scores.run_id != run_id:
        return None
    return scores if all(math.isfinite(each.loss) for each in scores.scores) else None
