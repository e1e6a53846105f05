"""A thread with an event loop of its own, and in it a client of this peer's p2pd.

The DHT's process has hivemind's only other one; experts are computed where PyTorch is, which is not there.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from hivemind.dht import DHT
from hivemind.p2p import P2P

START_SECONDS = 60.0
STOP_SECONDS = 5.0

_Result = TypeVar("_Result")

log = logging.getLogger(__name__)


class P2PThread:
    """Runs coroutines that call other peers, or answer them; `close` it before the DHT ends."""

    def __init__(self, dht: DHT, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        address = dht.run_coroutine(DHT._get_p2p_daemon_listen_maddr)
        self.p2p: P2P = self.submit(P2P.replicate(address)).result(START_SECONDS)

    def submit(self, coroutine: Coroutine[Any, Any, _Result]) -> concurrent.futures.Future[_Result]:
        """Run it in the thread; its result comes later."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def close(self) -> None:
        """End what runs, the client and the thread."""
        try:
            self.submit(self._shutdown()).result(STOP_SECONDS)
        except TimeoutError:
            log.warning("the client of p2pd does not end")
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(STOP_SECONDS)

    async def _shutdown(self) -> None:
        await self.p2p.shutdown()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()
