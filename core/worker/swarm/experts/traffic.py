"""What a trainer counts of its requests, and what it knows of each expert, for whoever looks on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from core.worker.experts.calls import ExpertInput


@dataclass(frozen=True)
class AskedTokens:
    """The tokens that were ``sent`` forward since the start, once for each expert, and those that were ``answered``."""

    sent: int = 0
    answered: int = 0

    def after(self, inputs: Sequence[ExpertInput], answers: Sequence[Tensor | None]) -> AskedTokens:
        """The same with another call's; an input without an answer is one that is ``None``."""
        counts = [(len(each.tokens), answer is not None) for each, answer in zip(inputs, answers, strict=True)]
        sent = sum(count for count, _has_answer in counts)
        return AskedTokens(self.sent + sent, self.answered + sum(count for count, has_answer in counts if has_answer))


@dataclass(frozen=True)
class ExpertStanding:
    """Who answers for an expert, by peer id, empty where nobody does; its optimizer steps and the tokens behind it.

    The tokens are counted since the expert is at its host. ``latency`` is that of the host, in seconds.
    """

    host: str = ""
    is_own: bool = False
    steps: int = 0
    tokens: int = 0
    latency: float | None = None
