"""Evaluations of a run on its validation set, measured and signed by the organiser's peer."""

from __future__ import annotations

import math
from typing import Annotated

import msgspec
from msgspec import Meta

from core.schema import Count, StrictStruct
from core.security.identity import Identity, verify

MOST_SCORES = 64  # of a run that are told; the latest
MAX_SCORES_BYTES = 8 * 1024
_SIGNING_PREFIX = b"workerbee run scores 1:"


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


class SignedScores(StrictStruct, frozen=True):
    """The exact bytes of an evaluation history that an organiser signed."""

    scores: bytes
    signature: bytes

    @classmethod
    def sign(cls, scores: EvaluationHistory, identity: Identity) -> SignedScores:
        """Sign a history in the form in which it will be read."""
        encoded = msgspec.msgpack.encode(scores)
        return cls(encoded, identity.sign(_SIGNING_PREFIX + encoded))

    def to_bytes(self) -> bytes:
        """The record that the DHT holds, as msgpack."""
        return msgspec.msgpack.encode(self)


def scores_in(encoded: bytes, organiser: str, run_id: str) -> EvaluationHistory | None:
    """The history that an organiser has signed of a run; ``None`` for anything else."""
    if len(encoded) > MAX_SCORES_BYTES:
        return None
    try:
        signed = msgspec.msgpack.decode(encoded, type=SignedScores)
        if not verify(organiser, _SIGNING_PREFIX + signed.scores, signed.signature):
            return None
        scores = msgspec.msgpack.decode(signed.scores, type=EvaluationHistory)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    is_right = scores.run_id == run_id and all(math.isfinite(each.loss) for each in scores.scores)
    return scores if is_right else None
