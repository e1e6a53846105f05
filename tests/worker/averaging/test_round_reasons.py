"""Why a round or an entry has failed is told from what the real library raises."""

from __future__ import annotations

import pytest

from core.errors import ErrorKind
from core.worker.swarm.averaging.allreduce import ExchangeFailedError, ExchangeTimeoutError, NotFiniteError
from core.worker.swarm.averaging.round_reasons import failure_reason
from core.worker.swarm.patches.matchmaking import StaleRoundError
from tests.support.real_peers import PeerGroup


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_hiveminds_own_errors_are_told_apart(group: PeerGroup) -> None:
    script = group.script("failures", "tests.support.peers.failing_rounds")
    assert script.until(lambda each: "port" in each)["port"] == ErrorKind.PORT_TAKEN.key
    lonely = script.until(lambda each: "lonely" in each)
    assert lonely == {"lonely": "no other peer was found in time", "kind": "AllreduceException"}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (NotFiniteError(), "our own numbers were not finite"),
        (StaleRoundError("later"), "the others were ahead by an epoch"),
        (ExchangeTimeoutError("Unable to run All-Reduce: "), "it took longer than the run allows"),
        (TimeoutError(), "it took longer than the run allows"),
        (ExchangeFailedError("could not find a group"), "a peer was lost in the middle of it"),
        (ConnectionResetError("timed out"), "the connection to a peer failed"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_the_type_decides_and_not_the_text(error: Exception, reason: str) -> None:
    assert str(failure_reason(error)) == reason
