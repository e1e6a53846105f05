"""How a run does on what nobody trains on, measured by its organiser's peer and signed by it."""

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
    """How the run did on what nobody trains on after that epoch, measured at a time in seconds since 1970."""

    epoch: Count
    loss: float
    at: Annotated[float, Meta(ge=0, le=2**33)]


class EvaluationHistory(StrictStruct, frozen=True):
    """Of one run, by rising epoch."""

    run_id: str
    scores: Annotated[tuple[Score, ...], Meta(max_length=MOST_SCORES)] = ()

    def with_score(self, score: Score) -> EvaluationHistory:
        """This one, too; what was measured of that epoch or a later one before a restart is forgotten."""
        earlier = tuple(each for each in self.scores if each.epoch < score.epoch)
        return EvaluationHistory(self.run_id, (*earlier, score)[-MOST_SCORES:])

    def after(self, epoch: Count) -> tuple[Score, ...]:
        """Those of later epochs."""
        return tuple(each for each in self.scores if each.epoch > epoch)


class SignedScores(StrictStruct, frozen=True):
    """The exact bytes that an organiser signed."""

    scores: bytes
    signature: bytes

    @classmethod
    def sign(cls, scores: EvaluationHistory, identity: Identity) -> SignedScores:
        """Sign them as they will be read."""
        encoded = msgspec.msgpack.encode(scores)
        return cls(encoded, identity.sign(_SIGNING_PREFIX + encoded))

    def to_bytes(self) -> bytes:
        """What the DHT holds."""
        return msgspec.msgpack.encode(self)


def scores_in(encoded: bytes, organiser: str, run_id: str) -> EvaluationHistory | None:
    """What that organiser has signed of that run; ``None`` for anything else."""
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
