"""A caller whose requests are no longer read hears so at once (H70), with two real p2pd."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

import pytest
from hivemind.p2p import P2P, P2PContext, ServicerBase
from hivemind.proto.averaging_pb2 import CANCELLED, PART_FOR_AVERAGING, AveragingData

from core.worker.swarm.patches.unread_requests import PREFETCHED, answer_and_drain

LIMIT_SECONDS = 30.0
MANY = 4 * PREFETCHED
A_PART = AveragingData(code=PART_FOR_AVERAGING, weight=1.0)
REFUSAL = AveragingData(code=CANCELLED)

Answers = Callable[[AsyncIterator[AveragingData]], AsyncIterator[AveragingData]]


async def echo(parts: AsyncIterator[AveragingData]) -> AsyncIterator[AveragingData]:
    async for part in parts:
        yield part


async def first_two(parts: AsyncIterator[AveragingData]) -> AsyncIterator[AveragingData]:
    for _ in range(2):
        yield await anext(parts)


class Reducer(ServicerBase):  # type: ignore[misc]  # hivemind has no types
    """It answers requests in a given way; ``is_over`` once a stream was answered to its end."""

    def __init__(self, answers: Answers) -> None:
        self._answers, self.is_over = answers, asyncio.Event()

    async def rpc_aggregate_part(
        self, stream: AsyncIterator[AveragingData], _context: P2PContext
    ) -> AsyncIterator[AveragingData]:
        try:
            async for answer in answer_and_drain(stream, self._answers, REFUSAL):
                yield answer
        finally:
            self.is_over.set()


async def answered(answers: Answers, count: int) -> list[AveragingData]:
    """What a caller hears that sends so many requests, and stops at a refusal as all-reduce does."""
    first = await P2P.create(host_maddrs=["/ip4/127.0.0.1/tcp/0"])
    second = await P2P.create(
        host_maddrs=["/ip4/127.0.0.1/tcp/0"], initial_peers=map(str, await first.get_visible_maddrs())
    )
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            reducer = Reducer(answers)
            await reducer.add_p2p_handlers(first)

            async def parts() -> AsyncIterator[AveragingData]:
                for _ in range(count):
                    yield A_PART

            heard = list[AveragingData]()
            stream = await Reducer.get_stub(second, first.peer_id).rpc_aggregate_part(parts())
            async for message in stream:
                heard.append(message)
                if message == REFUSAL:
                    break
            await stream.aclose()
            await reducer.is_over.wait()
            return heard
    finally:
        await second.shutdown()
        await first.shutdown()


@pytest.mark.parametrize("count", [1, PREFETCHED, MANY])
def test_requests_that_are_all_read_are_answered_and_nothing_else_is_said(count: int) -> None:
    assert asyncio.run(answered(echo, count)) == [A_PART] * count


def test_whoever_sends_more_than_is_read_hears_so_and_the_stream_ends() -> None:
    assert asyncio.run(answered(first_two, MANY)) == [A_PART, A_PART, REFUSAL]
