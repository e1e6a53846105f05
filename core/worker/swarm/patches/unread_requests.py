"""Let a caller hear at once that its stream of requests is no longer read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Generic, TypeVar

PREFETCHED = 5  # requests, as in hivemind's P2P

Request = TypeVar("Request")
Answer = TypeVar("Answer")


async def answer_and_drain(
    stream: AsyncIterator[Request],
    answers: Callable[[AsyncIterator[Request]], AsyncIterator[Answer]],
    refusal: Answer,
) -> AsyncIterator[Answer]:
    """The ``answers`` to a stream of requests, and the ``refusal`` where they end before the requests do.

    WORKAROUND H70: hivemind passes on five requests that nobody has read yet, and waits until the sixth is read. Where
    a handler returns before that, nobody ever reads it: the stream stays open, and its caller waits until a time limit.
    Here the stream is drained until the caller hangs up.
    """
    requests = _Requests(stream)
    reading = asyncio.create_task(requests.receive())
    try:
        async for answer in answers(requests.wanted()):
            yield answer
        requests.discard()
        if not reading.done():
            yield refusal
            await reading
    finally:
        reading.cancel()


class _Requests(Generic[Request]):
    """A stream that is received whether or not somebody still wants what comes; ``None`` marks its end."""

    def __init__(self, stream: AsyncIterator[Request]) -> None:
        self._stream, self._unread = stream, asyncio.Queue[Request | None](PREFETCHED)
        self._are_wanted = True

    async def receive(self) -> None:
        """Receive all of them; as few are kept as `PREFETCHED` says, until somebody reads them."""
        async for request in self._stream:
            if self._are_wanted:
                await self._unread.put(request)
        if self._are_wanted:
            await self._unread.put(None)

    async def wanted(self) -> AsyncIterator[Request]:
        """The requests, for the one who answers them."""
        while (request := await self._unread.get()) is not None:
            yield request

    def discard(self) -> None:
        """Nobody reads any more of them."""
        self._are_wanted = False
        while not self._unread.empty():
            self._unread.get_nowait()
