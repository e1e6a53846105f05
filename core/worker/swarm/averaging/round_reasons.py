"""Why a round of averaging failed, or was not whole, in words for people."""

from __future__ import annotations

import logging

from hivemind.averaging.allreduce import AllreduceException

from core.protocol.localizable import LocalizedText, localized
from core.worker.swarm.averaging.allreduce import (
    AllreduceOutcome,
    ExchangeFailedError,
    ExchangeTimeoutError,
    NotFiniteError,
)
from core.worker.swarm.patches.matchmaking import StaleRoundError

_LOST = localized("a peer was lost in the middle of it")

log = logging.getLogger(__name__)


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
