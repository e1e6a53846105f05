"""The receiving end of upload tests: it confirms what has come, and keeps nothing. Whoever sends is a stranger."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Hashable
from typing import AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

from hivemind.p2p import P2PContext, ServicerBase
from hivemind.proto import runtime_pb2

from core.worker.delegation.download_limit import downloads
from core.worker.swarm.upload_test.paced_upload import CHUNK_BYTES, MAX_BYTES, RECEIPT_BYTES

MAX_SECONDS = 4.0  # of one test
AGAIN_SECONDS = 30.0  # until a peer may test again
MAX_REMEMBERED = 64  # peers that have tested within AGAIN_SECONDS; more must wait

log = logging.getLogger(__name__)


class Admission:
    """Whose test is received: one at a time, because two would share the line, and of each peer once in a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: dict[Hashable, float] = {}
        self._present: Hashable = None

    def admit(self, peer: Hashable) -> bool:
        """Whether that peer's test may begin; `end` it."""
        now = self._clock()
        self._began = {each: at for each, at in self._began.items() if now - at < AGAIN_SECONDS}
        is_busy = self._began.get(self._present, -MAX_SECONDS) + MAX_SECONDS > now
        if is_busy or peer in self._began or len(self._began) >= MAX_REMEMBERED:
            return False
        self._began[peer], self._present = now, peer
        return True

    def end(self, peer: Hashable) -> None:
        """That peer's test is over."""
        if self._present == peer:
            self._present = None


class UploadReceiver(ServicerBase):
    """An RPC of ours beside those of hivemind's DHT; plain hivemind peers have none of that name."""

    def __init__(self, admission: Admission | None = None) -> None:
        self._admission = admission or Admission()

    async def rpc_receive(
        self, stream: AsyncIterator[runtime_pb2.ExpertRequest], context: P2PContext
    ) -> AsyncIterator[runtime_pb2.ExpertResponse]:
        """Confirm each chunk by its last bytes; who may not test now, or sends anything else, hears no more.

        Where our owner limits downloads, a test would measure that limit, and not the other's line.
        """
        if downloads().limit is not None or not self._admission.admit(context.remote_id):
            return
        try:
            until = asyncio.get_running_loop().time() + MAX_SECONDS
            for _ in range(MAX_BYTES // CHUNK_BYTES):
                async with asyncio.timeout_at(until):
                    chunk = await anext(stream, None)
                if chunk is None or len(chunk.metadata) != CHUNK_BYTES or chunk.tensors:
                    return
                yield runtime_pb2.ExpertResponse(metadata=chunk.metadata[-RECEIPT_BYTES:])
        except TimeoutError:
            log.info("%s has not ended its upload test in time", context.remote_id)
        finally:
            self._admission.end(context.remote_id)
