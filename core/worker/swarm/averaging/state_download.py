"""The run's state from another peer: from one after the other, until one can be used, and never for ever."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import random
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from hivemind.averaging import DecentralizedAverager
from hivemind.compression import deserialize_tensor_stream
from hivemind.p2p import PeerID
from hivemind.proto import averaging_pb2
from hivemind.utils import MPFuture, ValueWithExpiration
from hivemind.utils.asyncio import aiter_with_timeout

from core.worker.swarm.averaging.state_validation import State
from core.worker.swarm.dht.progress_reports import MAX_PEER_ID_BYTES
from core.worker.swarm.patches import byte_counters as traffic

POLL_SECONDS = 0.1
SILENCE_SECONDS = 90.0  # a download in which nothing arrives for so long has failed
LOOK_UP_SECONDS = 15.0
MAX_DONORS = 8  # are asked for one state

log = logging.getLogger(__name__)


class Interrupted(KeyboardInterrupt):
    """We are leaving. A KeyboardInterrupt, because hivemind tries again after everything else."""


class Downloading(DecentralizedAverager):
    """Downloads state that has been looked at before it is used.

    WORKAROUND: hivemind takes whatever the donor of the highest priority sends, and asks it again and again.
    ``refused`` are those whose state was of no use, and why; they are not asked again as long as
    somebody else is there or we have the run's state ourselves (``has_state``).
    """

    leaving: threading.Event
    on_download: Callable[[int, bool], None] | None = None
    on_refusal: Callable[[str, str], None] | None = None
    refused: dict[PeerID, str]
    has_state = False
    local_epoch: int

    def load_state_from_peers(self, wait: bool = True, timeout: float | None = None) -> State | None:
        """A state that can be used; ``None`` if nobody has one now. Raises Interrupted."""
        silent: set[PeerID] = set()
        for _ in range(MAX_DONORS):
            future: MPFuture[Any] = MPFuture()
            unwanted = [*self.refused, *silent]
            wish = {"future": future, "unwanted": unwanted, "most_bytes": self._most_bytes()}
            self._outer_pipe.send(("_fetch_state", [], wish))
            answer = self._await(future)
            if answer is None:
                break
            donor, state = answer
            if state is None:
                silent.add(donor)
            elif why := self._why_unusable(state):
                self._refuse(donor, why)
            elif state[0]["epoch"] < self.local_epoch:
                silent.add(donor)  # an honest one may be a moment behind
            else:
                self.has_state = True
                return state
        if not self.has_state:
            self.refused.clear()
        return None

    def _why_unusable(self, state: State) -> str:
        """Why that state cannot be used, in words; nothing where it can."""
        raise NotImplementedError

    def _most_bytes(self) -> int:
        """How many bytes of tensors a state of the run can have at most."""
        raise NotImplementedError

    def _refuse(self, donor: PeerID, why: str) -> None:
        log.warning("the state of %s is refused: %s", donor, why)
        self.refused[donor] = why
        if self.on_refusal is not None:
            self.on_refusal(donor.to_base58(), why)

    def _await(self, loading: MPFuture[Any]) -> tuple[PeerID, State | None] | None:
        before = seen = traffic.received_bytes()
        self._tell(0)
        changed = time.monotonic()
        while True:
            try:
                answer: tuple[PeerID, State | None] | None = loading.result(POLL_SECONDS)
                self._tell(traffic.received_bytes() - before, is_done=answer is not None)
                return answer
            except (TimeoutError, concurrent.futures.TimeoutError):
                received = traffic.received_bytes()
            if self.leaving.is_set():
                raise Interrupted
            if received != seen:
                seen, changed = received, time.monotonic()
                self._tell(received - before)
            elif time.monotonic() - changed > SILENCE_SECONDS:
                log.warning("the state download was silent for %.0f s", SILENCE_SECONDS)
                return None

    def _tell(self, received: int, is_done: bool = False) -> None:
        if self.on_download is not None:
            self.on_download(received, is_done)

    async def _fetch_state(self, future: MPFuture[Any], unwanted: Iterable[PeerID], most_bytes: int) -> None:
        """In the averager's process: ask the best donor but those; it, and its state if it sends one."""
        answer: tuple[PeerID, State | None] | None = None
        try:
            donors = await asyncio.wait_for(self._donors(), LOOK_UP_SECONDS)
            donor = max(donors.keys() - {self.peer_id, *unwanted}, key=donors.__getitem__, default=None)
            if donor is not None:
                answer = (donor, None)
                answer = (donor, await self._download(donor, most_bytes))
        except Exception:
            log.exception("a state could not be downloaded")
        finally:
            future.set_result(answer)

    async def _donors(self) -> dict[PeerID, tuple[float, float]]:
        """Who offers a state, with its priority; a lot decides between equals."""
        key = f"{self._matchmaking.group_key_manager.prefix}.all_averagers"
        found = await self.dht.get(key, latest=True, return_future=True)
        offers = found.value if found is not None and isinstance(found.value, dict) else {}
        return {
            PeerID(subkey): (float(offer.value), random.random())
            for subkey, offer in offers.items()
            if isinstance(subkey, bytes) and len(subkey) <= MAX_PEER_ID_BYTES
            if isinstance(offer, ValueWithExpiration) and isinstance(offer.value, float | int)
        }

    async def _download(self, donor: PeerID, most_bytes: int) -> State | None:
        metadata: list[bytes] = []
        received = 0

        async def parts() -> AsyncIterator[Iterable[Any]]:
            stub = self.get_stub(self._p2p, donor, namespace=self.prefix)
            stream = await stub.rpc_download_state(averaging_pb2.DownloadRequest())
            async for message in aiter_with_timeout(stream, timeout=self.next_chunk_timeout):
                nonlocal received
                received += len(message.tensor_part.buffer) + len(message.metadata)
                if received > most_bytes:
                    raise ValueError(f"{donor} sends more than any state of this run has")
                if message.metadata:
                    metadata.append(message.metadata)
                yield [message.tensor_part]

        tensors = await deserialize_tensor_stream(parts())
        return (self.serializer.loads(metadata[0]), tensors) if metadata else None
