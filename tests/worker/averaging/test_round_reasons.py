"""Why a round or an entry has failed is told from what the real library raises."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any, cast

import pytest
from hivemind.averaging import DecentralizedAverager
from hivemind.averaging.control import StepControl
from hivemind.averaging.group_info import GroupInfo
from hivemind.utils import MPFuture

from core.errors import ErrorKind
from core.worker.swarm.averaging.allreduce import ExchangeFailedError, ExchangeTimeoutError, NotFiniteError
from core.worker.swarm.averaging.averager_process import AveragerProcess
from core.worker.swarm.averaging.averagers import GradientAverager
from core.worker.swarm.averaging.round_reasons import failure_reason
from core.worker.swarm.local_sgd.averagers import DeltaAverager
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


class SearchedAgainError(Exception):
    """A second group was looked for."""


class OneGroup:
    """As much of an averager as hivemind's step needs; the exchange of its first group fails with that error."""

    tensor_infos, allreduce_kwargs, _allreduce_timeout = (), dict[str, Any](), 30.0

    def __init__(self, error: type[Exception]) -> None:
        self._error, self._matchmaking, self._searches = error, self, 0
        self._pending_groups_registered = asyncio.Event()

    async def look_for_group(self, control: StepControl) -> GroupInfo:
        """There is one, which may exchange at once."""
        self._searches += 1
        if self._searches > 1:
            raise SearchedAgainError
        control.allow_allreduce()
        return GroupInfo(b"group", (), ())

    def _register_allreduce_group(self, group: GroupInfo) -> Any:
        return contextlib.nullcontext(group)

    async def _aggregate_with_group(self, _group: GroupInfo, **_options: Any) -> None:
        raise self._error("lost in the middle")

    async def ends_with(self) -> type[BaseException] | None:
        """The error with which a step of hivemind's ends."""
        attached: MPFuture[Any] = MPFuture()  # the first one of a process makes hivemind's backend
        now = time.time()
        control = StepControl(now, now + 600.0, allow_retries=True, weight=1.0, data_for_gather=b"")
        try:
            await DecentralizedAverager._step(cast(Any, self), step=control, future_for_init=attached)
        except (ExchangeFailedError, SearchedAgainError) as error:
            return type(error)
        return None


@pytest.mark.parametrize(("averager", "is_tried_again"), [(DeltaAverager, False), (GradientAverager, True)])
def test_an_exchange_of_changes_that_has_broken_is_not_tried_again_with_another_group(
    averager: type[AveragerProcess], is_tried_again: bool
) -> None:
    """The first may have taken the step, and all of another group would believe that nobody has."""

    async def ends_with(error: type[Exception]) -> type[BaseException] | None:
        return await OneGroup(error).ends_with()

    for error in averager.exchange_errors:
        assert asyncio.run(ends_with(error)) is (SearchedAgainError if is_tried_again else error)
