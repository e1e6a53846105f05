"""A state download in the averager's process: of all who offer a state, one is chosen and asked.

``state_download.py`` is the other half, in the worker's process.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping
from typing import Any

from hivemind.compression import deserialize_tensor_stream
from hivemind.p2p import PeerID
from hivemind.p2p.p2p_daemon_bindings.utils import ControlFailure
from hivemind.proto import averaging_pb2
from hivemind.utils import MPFuture, ValueWithExpiration

from core.worker.swarm.averaging.state_validation import BUSY, State
from core.worker.swarm.patches.size_limits import is_peer_id
from core.worker.swarm.state_parts.arrivals import Arrivals
from core.worker.swarm.state_parts.donor_stream import DonorBusyError
from core.worker.swarm.state_parts.minimum_rate import (
    LEAST_BYTES_A_SECOND,
    USUAL_BYTES_A_SECOND,
    SlowDonorError,
    no_slower,
)
from core.worker.swarm.state_parts.whole_state import StateServer

LOOK_UP_SECONDS = 15.0  # for the list of peers that offer a state
DIAL_SECONDS = 15.0  # for a donor to answer at all; libp2p itself gives up after three quarters of a minute

log = logging.getLogger(__name__)


class DonorBehindError(Exception):
    """A donor's state is older than what we look for."""


NOT_NOW = (ControlFailure, TimeoutError, DonorBehindError, DonorBusyError, SlowDonorError)
"""What a donor's end of the line says or does where another donor should be asked."""


class StateFetcher(StateServer):
    """An averager that downloads a state from one chosen peer; ``arrivals`` tell the worker's process of it.

    A donor that was too slow is asked again only where all others have failed, and none of them is busy. Then it may be
    as slow as a donor can be.
    """

    dht: Any
    _matchmaking: Any
    arrivals: Arrivals
    _min_epoch = 0  # of the state that is being downloaded
    _minimum_rate = LEAST_BYTES_A_SECOND  # of its donor
    _slow: frozenset[PeerID] = frozenset()
    _busy: frozenset[PeerID] = frozenset()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.arrivals = Arrivals()
        super().__init__(*args, **kwargs)

    async def _fetch_state(
        self, future: MPFuture[Any], unwanted: Iterable[PeerID], max_bytes: int, min_epoch: int = 0
    ) -> None:
        """Set the future to the best donor except for the unwanted, and its state if it sends one; else to None.

        A state of an epoch before ``min_epoch`` is not downloaded to its end.
        """
        self._min_epoch = min_epoch
        answer: tuple[PeerID, State | None] | None = None
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                donors = await self._donors()
            donor = self._best(donors, frozenset(unwanted))
            if donor is not None:
                answer = (donor, None)
                answer = await self._answer(donor, max_bytes)
        except NOT_NOW as error:
            log.info("a donor cannot be asked now: %r", error)
            answer = answer and self._after(error, answer[0])
        except Exception:
            log.exception("a state could not be downloaded")
        finally:
            if answer is not None:
                asked = frozenset({answer[0]})
                self._busy = self._busy | asked if answer[1] is BUSY else self._busy - asked
            future.set_result(answer)

    def _best(self, donors: Mapping[PeerID, tuple[float, float]], unwanted: frozenset[PeerID]) -> PeerID | None:
        """The donor to ask, and how fast it must be."""
        offering = donors.keys() - {self.peer_id}
        left = offering - unwanted
        if self._busy & unwanted:
            left -= self._slow
        donor = max(left, key=lambda each: (each not in self._slow, donors[each]), default=None)
        may_be_slow = donor in self._slow or len(offering) == 1
        self._minimum_rate = LEAST_BYTES_A_SECOND if may_be_slow else USUAL_BYTES_A_SECOND
        return donor

    def _after(self, error: Exception, donor: PeerID) -> tuple[PeerID, State | None]:
        if isinstance(error, SlowDonorError):
            self._slow |= {donor}
        return donor, BUSY if isinstance(error, DonorBusyError) else None

    async def _answer(self, donor: PeerID, max_bytes: int) -> tuple[PeerID, State | None]:
        """A state, if that donor has led us to one, and the peer that is to blame where it cannot be used."""
        return donor, await self._download(donor, max_bytes) or BUSY

    async def _donors(self) -> dict[PeerID, tuple[float, float]]:
        """Who offers a state and is not barred, with the state's priority; a random number decides between equals."""
        key = f"{self._matchmaking.group_key_manager.prefix}.all_averagers"
        found = await self.dht.get(key, latest=True, return_future=True)
        offers = found.value if found is not None and isinstance(found.value, dict) else {}
        return {
            PeerID(subkey): (float(offer.value), random.random())
            for subkey, offer in offers.items()
            if is_peer_id(subkey)
            if isinstance(offer, ValueWithExpiration) and isinstance(offer.value, float | int)
            if PeerID(subkey) not in self._slots.barred
        }

    async def _download(self, donor: PeerID, max_bytes: int) -> State | None:
        """The donor's state, or ``None`` if it sends none.

        Raises ValueError if it is larger than any can be, or nothing is in a message, and as `_arriving`.
        """
        metadata: list[bytes] = []
        received = 0

        async def parts() -> AsyncIterator[Iterable[Any]]:
            stub = self.get_stub(self._p2p, donor, namespace=self.prefix)
            async with asyncio.timeout(DIAL_SECONDS):
                stream = await stub.rpc_download_state(averaging_pb2.DownloadRequest())
            async for message in self._arriving(stream):
                nonlocal received
                received += message.ByteSize()
                if received > max_bytes:
                    raise ValueError(f"{donor} sends more than any state of this run has")
                if not (message.tensor_part.buffer or message.tensor_part.dtype):
                    raise ValueError(f"{donor} sends messages with nothing in them")
                if message.metadata:
                    metadata.append(message.metadata)
                    self._check_epoch(message.metadata)
                yield [message.tensor_part]

        tensors = await deserialize_tensor_stream(parts())
        log.info("%s sent a state of %d bytes", donor, received)
        return (self.serializer.loads(metadata[0]), tensors) if metadata else None

    def _arriving(self, stream: AsyncIterable[averaging_pb2.DownloadData]) -> AsyncIterator[averaging_pb2.DownloadData]:
        """The messages of the donor that was chosen. Raises TimeoutError and SlowDonorError."""
        return no_slower(stream, self._minimum_rate, self.next_chunk_timeout, self.arrivals)

    def _check_epoch(self, metadata: bytes) -> None:
        """Raises DonorBehindError for the state of an epoch that nobody looks for."""
        told = self.serializer.loads(metadata)
        epoch = told.get("epoch") if isinstance(told, dict) else None
        if type(epoch) is int and epoch < self._min_epoch:
            raise DonorBehindError(f"its state is of epoch {epoch}, and not of {self._min_epoch} or later")
