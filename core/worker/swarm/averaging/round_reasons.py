"""Why a round of averaging failed, or was not whole, in words for people."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal

from hivemind.averaging.allreduce import AllreduceException
from hivemind.averaging.control import StepControl

from core.localizable import LocalizedText, localized
from core.protocol.events import RoundFinished
from core.worker.swarm.aggregation.outcome import AllreduceOutcome
from core.worker.swarm.averaging.allreduce import (
    ExchangeFailedError,
    ExchangeTimeoutError,
    NotFiniteError,
)
from core.worker.swarm.patches.matchmaking import StaleRoundError

_LOST = localized("a peer was lost in the middle of it")

log = logging.getLogger(__name__)


def round_finished(
    control: StepControl,
    kind: Literal["gradients", "state", "changes"],
    seconds: float,
    epoch: int,
    *,
    is_counted: bool,
    step_error: Callable[[AllreduceOutcome], LocalizedText] = lambda _: LocalizedText(),
) -> RoundFinished:
    """How a round of that epoch has ended, as an event.

    ``step_error`` says why we do not step with an average, in words; it says nothing where we do.
    """
    error = control.exception()
    gathered = AllreduceOutcome() if error else control.result()
    no_step = LocalizedText() if error else step_error(gathered)
    return RoundFinished(
        epoch=epoch,
        kind=kind,
        ok=len(gathered) > 1,
        peers=len(gathered),
        seconds=round(seconds, 3),
        reason=failure_reason(error) if error else no_step or shortfall(gathered),
        stepped=not no_step,
        counted=is_counted,
        counted_share=round(gathered.counted_share, 4),
        outliers=tuple(sorted(peer.to_base58() for peer in gathered.outliers)),
        unreached=tuple(sorted(peer.to_base58() for peer in gathered.unreached)),
        norm_ratios=tuple((peer.to_base58(), round(ratio, 4)) for peer, ratio in gathered.norm_ratios.items()),
        liars=tuple(sorted(peer.to_base58() for peer in gathered.liars)),
    )


def shortfall(gathered: AllreduceOutcome) -> LocalizedText:
    """What kept a round from being whole; nothing where it was."""
    if gathered.has_invalid_data:
        return localized("a peer sent numbers that cannot be right")
    return _LOST if gathered.lost else LocalizedText()


def failure_reason(error: BaseException) -> LocalizedText:
    """Say why a round failed, from the exception that ended it."""
    match error:
        case NotFiniteError():
            return localized("our own numbers were not finite")
        case StaleRoundError():
            return localized("the others were ahead by an epoch")
        case ExchangeTimeoutError() | TimeoutError():
            return localized("it took longer than the run allows")
        case ExchangeFailedError():
            return _LOST
        case AllreduceException():  # outside of an exchange, hivemind raises it for nothing but this
            return localized("no other peer was found in time")
        case _:
            log.info("a round failed: %r", error)
            return localized("the connection to a peer failed")
