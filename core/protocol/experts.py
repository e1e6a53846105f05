"""The event about the experts of a run, and what it tells of each."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from core.protocol.types import Event
from core.run.spec.experts import ExpertLayer, ExpertNumber
from core.schema import Count, StrictStruct

MOST_EXPERTS = 256  # that one event tells of
MAX_HOST_CHARACTERS = 128
MAX_RATE = 1e12  # tokens per second
MAX_LATENCY_SECONDS = 3600.0

_Host = Annotated[str, Meta(max_length=MAX_HOST_CHARACTERS)]
_Rate = Annotated[float, Meta(ge=0, le=MAX_RATE)]
_Seconds = Annotated[float, Meta(ge=0, le=MAX_LATENCY_SECONDS)]
_Share = Annotated[float, Meta(ge=0, le=1)]


class ExpertSeen(StrictStruct, kw_only=True, frozen=True, omit_defaults=True):
    """An expert by the number of its layer and its number there, both from 0, and the peer id of its ``host``.

    The host is empty where nobody answers for it. ``tokens`` and ``steps`` are those that it has been trained with, as
    the host says: the tokens since it is there, the optimizer steps in all; ``tokens_per_second`` are its load.
    ``latency_seconds`` is how long the host takes to answer this computer.
    """

    layer: ExpertLayer
    number: ExpertNumber
    host: _Host = ""
    is_mine: bool = False
    tokens_per_second: _Rate | None = None
    tokens: Count = 0
    steps: Count = 0
    latency_seconds: _Seconds | None = None


class ExpertsSeen(Event, tag="experts_seen", kw_only=True, frozen=True):
    """The experts of the run and who answers for each, at most every two seconds.

    Rates are means of the last half minute, in tokens per second; a token counts once for each expert that it is sent
    to. This computer has ``sent`` so many to experts, and the experts here have ``received`` so many. ``found_share``,
    0 to 1, of those that were sent have found their expert: it has answered in time. Of very many experts, ``untold``
    is how many more there are.
    """

    experts: Annotated[tuple[ExpertSeen, ...], Meta(max_length=MOST_EXPERTS)]
    sent_tokens_per_second: _Rate | None = None
    received_tokens_per_second: _Rate | None = None
    found_share: _Share | None = None
    untold: Count = 0
