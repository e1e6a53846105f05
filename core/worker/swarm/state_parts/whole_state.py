"""Serve whole states as hivemind does, to two newcomers at a time and no faster than their share of the line."""

from __future__ import annotations

from collections.abc import Container, Hashable
from typing import Any, AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

from hivemind.averaging import DecentralizedAverager
from hivemind.p2p import P2PContext
from hivemind.proto import averaging_pb2
from hivemind.utils import MPFuture

from core.worker.swarm.state_parts.slots import Slots


class StateServer(DecentralizedAverager):
    """An averager that serves at most `MAX_DOWNLOADS` states at once; all that it reads is there before the fork.

    WORKAROUND H56: hivemind's copies its state for each stranger who asks, for as many as ask, as fast as its line can.
    """

    def __init__(self, *args: Any, barred: Container[Hashable] = frozenset(), **kwargs: Any) -> None:
        self._slots = Slots()
        self._slots.barred = barred
        super().__init__(*args, **kwargs)

    async def rpc_download_state(
        self, request: averaging_pb2.DownloadRequest, context: P2PContext
    ) -> AsyncIterator[averaging_pb2.DownloadData]:
        """Send the state; nothing where two others are served, which for hivemind means to ask another donor."""
        slot = self._slots.take(context.remote_id)
        if slot is None:
            return
        try:
            async for message in super().rpc_download_state(request, context):
                await self._slots.share.wait(len(message.tensor_part.buffer))
                if not self._slots.holds(slot):
                    return
                yield message
                slot.touch()
        finally:
            self._slots.free(slot)

    async def _know_barred(self, barred: Container[Hashable]) -> None:
        """Send these peers no state from now on."""
        self._slots.barred = barred

    async def _know_upload(self, bits_per_second: float | None) -> None:
        """Learn how fast this computer's line uploads, which newcomers then have a share of."""
        self._slots.share.upload = bits_per_second

    async def _tell_newcomers(self, future: MPFuture[list[str]]) -> None:
        """Set the future to the peer ids of those who are sent a state now."""
        future.set_result([*map(str, self._slots.holders())])
