"""Evaluations of a run on its validation set, measured and signed by its organiser and by the keepers that it names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from core.run.signed_record import sign_record, signed_of_run, signed_order
from core.schema import Count, StrictStruct, UnixTime
from core.security.identity import Identity

MOST_SCORES = 64  # of a run that are told; the latest
MAX_SCORES_BYTES = 8 * 1024
_KIND = b"workerbee run scores 1:"


class Score(StrictStruct, kw_only=True, frozen=True, omit_defaults=True):
    """The loss on the validation set after an epoch, measured at a time in seconds since 1970.

    With local SGD, ``root`` is the hash of the base weights that had so many outer ``steps`` behind them at the time.
    In the other mode no two peers have the same weights to the last bit, and there is none.
    """

    epoch: Count
    loss: float
    at: UnixTime
    steps: Count = 0
    root: Annotated[bytes, Meta(max_length=16)] = b""


class EvaluationHistory(StrictStruct, frozen=True):
    """The evaluations of one run, by rising epoch; ``at`` is when they were signed, in seconds since 1970."""

    run_id: str
    scores: Annotated[tuple[Score, ...], Meta(max_length=MOST_SCORES)] = ()
    at: UnixTime = 0.0

    def with_score(self, score: Score) -> EvaluationHistory:
        """The history with one more score; those of its epoch and later, from before a restart, are dropped."""
        earlier = tuple(each for each in self.scores if each.epoch < score.epoch)
        return EvaluationHistory(self.run_id, (*earlier, score)[-MOST_SCORES:])

    def only_roots(self, roots: Mapping[int, bytes]) -> EvaluationHistory:
        """The history without the roots of other base weights than those, by the number of outer steps."""
        scores = tuple(
            each if roots.get(each.steps) == each.root else msgspec.structs.replace(each, steps=0, root=b"")
            for each in self.scores
        )
        return EvaluationHistory(self.run_id, scores)

    def gone_back_to(self, epoch: Count, at: float) -> EvaluationHistory:
        """The history without what was measured of later epochs before that time, in seconds since 1970."""
        kept = tuple(each for each in self.scores if each.epoch <= epoch or each.at > at)
        return EvaluationHistory(self.run_id, kept)

    def completed_by(self, keepers: Iterable[EvaluationHistory]) -> EvaluationHistory:
        """This history, an organiser's, and what its keepers have signed of epochs that it has not; the first counts.

        Its own word is the last one: what keepers had measured before that of the same epoch or a later one is dropped.
        """
        last = self.scores[-1] if self.scores else None
        scores = {each.epoch: each for each in self.scores}
        for score in (each for keeper in keepers for each in keeper.scores):
            if last is None or score.epoch < last.epoch or score.at > last.at:
                scores.setdefault(score.epoch, score)
        return EvaluationHistory(self.run_id, tuple(scores[epoch] for epoch in sorted(scores))[-MOST_SCORES:])

    def since(self, epoch: Count) -> tuple[Score, ...]:
        """The scores of later epochs than that one."""
        return tuple(each for each in self.scores if each.epoch > epoch)


def sign_scores(scores: EvaluationHistory, identity: Identity) -> bytes:
    """The history in the form in which it will be read, signed."""
    return sign_record(_KIND, msgspec.msgpack.encode(scores), identity)


def scores_in(encoded: bytes, signer: str, run_id: str) -> EvaluationHistory | None:
    """The history that an organiser or a keeper has signed of a run; ``None`` for anything else."""
    scores = signed_of_run(_KIND, encoded, signer, MAX_SCORES_BYTES, EvaluationHistory, run_id)
    if scores is None:
        return None
    return scores if all(math.isfinite(each.loss) for each in scores.scores) else None


def scores_order(encoded: bytes, signer: str, run_id: str) -> float | None:
    """By what a history is later than another, as `signed_order` tells it; ``None`` for anything else."""
    return signed_order(_KIND, encoded, signer, MAX_SCORES_BYTES, run_id)
