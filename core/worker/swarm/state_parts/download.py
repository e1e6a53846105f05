"""Download a state from several donors at once: all that have the same file give parts of it, the faster ones more.

A donor whose part is not what the index says is left out; of one that says nothing, or ends, others take the parts, and
it is asked again. What has come stays in a `PartialFile`, with which the next download goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hivemind.p2p import PeerID

from core.worker.delegation.download_limit import downloads
from core.worker.swarm.state_parts.arrivals import Arrivals
from core.worker.swarm.state_parts.donor_stream import DonorBusyError, DonorStream, LostDonorError, LyingDonorError
from core.worker.swarm.state_parts.messages import INDEX, Offer, Wish
from core.worker.swarm.state_parts.part_index import HASH_BYTES, PART_BYTES, PartIndex, parts_of
from core.worker.swarm.state_parts.partial_file import PartialFile, begun

OFFER_SECONDS = 15.0  # for a donor to say what it has
BUSY_SECONDS = 600.0  # in which donors may all serve others
RETRY_SECONDS = 5.0  # until a donor that was lost, or is busy, is asked again
GIVE_UP_SECONDS = 60.0  # in which no part has come
LATE_SECONDS = 15.0  # after which somebody else is asked for one of the last parts as well
POLL_SECONDS = 0.1
CANCEL_SECONDS = 1.0
MAX_CHOICES = 5  # of a state, where donors take another one meanwhile
AHEAD = 2  # parts are on order at each donor, so that its line is never idle
DONOR_RATE = 50_000  # bytes a second of the owner's download limit, for which one donor more is asked
FEWEST_DONORS = 2

NearFile = Callable[[PartIndex, Sequence[PeerID]], Awaitable[Path | None]]
"""Writes a file of ours into the folder of which parts may be those of that index, which those donors have."""

log = logging.getLogger(__name__)


class NothingOfferedError(Exception):
    """Nobody has a state in parts."""


class IncompleteError(Exception):
    """Parts are still missing, and nobody sends them; those that have come are kept."""


class _MovedOnError(Exception):
    """No donor has the state any more whose parts are fetched."""


class StorageError(Exception):
    """A part cannot be written down."""


@dataclass(frozen=True)
class Downloaded:
    """A file whose parts are all right, the donors that have its index, and how many bytes each has sent."""

    path: Path
    index: PartIndex
    donors: tuple[PeerID, ...]
    sent_bytes: Mapping[PeerID, int]


class PartsDownload:
    """One download from the donors with those ``stubs`` of a state of ``size_bytes``, into that folder.

    Of two versions that as many donors have, that of the ``organiser`` (a peer id, base58) is taken. Parts of the file
    that ``near`` writes are not fetched where they are right. ``arrivals`` are told what comes.
    """

    def __init__(
        self,
        stubs: Mapping[PeerID, Any],
        size_bytes: int,
        folder: Path,
        organiser: str = "",
        near: NearFile | None = None,
        arrivals: Arrivals | None = None,
    ) -> None:
        self._stubs, self._size_bytes, self._folder, self._organiser = stubs, size_bytes, folder, organiser
        self._near, self._arrivals = near, arrivals or Arrivals()
        self._wish, self._begun_digest = Wish(), b""
        self.liars: set[PeerID] = set()
        self._wanted: deque[int] = deque()  # nobody was asked for these
        self._ordered_at: dict[int, float] = {}  # these have not come yet
        self._moved_at = time.monotonic()
        self._busy_at = -math.inf  # when a donor has said last that it serves others
        self._elsewhere: set[PeerID] = set()  # these have another state
        self._sent_bytes: Counter[PeerID] = Counter()
        self._streams = 0  # that are open

    async def run(self) -> Downloaded:
        """The whole file. Raises NothingOfferedError, IncompleteError, DonorBusyError and StorageError, in words."""
        for _ in range(MAX_CHOICES):
            try:
                return await self._fetched()
            except _MovedOnError:
                log.info("donors have another state now")
                await asyncio.sleep(POLL_SECONDS)
        raise IncompleteError("donors' states change too quickly")

    async def _fetched(self) -> Downloaded:
        """The file that most offer now. Raises as `run` does, and _MovedOnError."""
        self._wish, self._begun_digest = begun(self._folder)
        offers = await self._offers()
        index = await self._agreed_index(offers)
        donors = tuple(donor for donor, offer in offers.items() if offer == index.offer)
        try:
            file = await self._arrivals.in_thread(PartialFile, self._folder, index)
            if self._near is not None and file.is_empty and (near := await self._near(index, donors)) is not None:
                file.begin_with(near)
            self._wanted = deque(await self._arrivals.in_thread(file.missing))
        except OSError as error:
            raise StorageError(str(error)) from error
        log.info("%d of %d donors have a state of %d parts", len(donors), len(self._stubs), index.parts)
        log.info("%d of the parts are here already", index.parts - len(self._wanted))
        try:
            await self._fill(file, index)
        except (IncompleteError, DonorBusyError):
            if not self._sent_bytes and len(donors) < len(offers):
                file.path.unlink(missing_ok=True)  # its last donors may only say that they have it
            raise
        honest = tuple(donor for donor in donors if donor not in self.liars)
        return Downloaded(file.path, index, honest, self._sent_bytes)

    async def _offers(self) -> dict[PeerID, Offer]:
        """What donors offer, once one of them has something to offer now."""
        until = time.monotonic() + BUSY_SECONDS
        while True:
            answers = await asyncio.gather(*map(self._asked, self._stubs))
            told = {donor: offer for donor, offer in zip(self._stubs, answers, strict=True) if offer is not None}
            ready = {donor: offer for donor, offer in told.items() if not offer.is_not_now}
            if right := {donor: offer for donor, offer in ready.items() if offer.size_bytes == self._size_bytes}:
                return right
            if len(told) == len(ready) or time.monotonic() > until:
                raise NothingOfferedError("no donor has a state in parts")
            log.info("all donors of a state are busy; they are asked again")
            await asyncio.sleep(RETRY_SECONDS)

    async def _asked(self, donor: PeerID) -> Offer | None:
        """What that donor offers; ``None`` where it does not say."""
        async with self._stream(donor, "offers no state in parts") as stream, asyncio.timeout(OFFER_SECONDS):
            return await stream.open(self._wish)
        return None

    def _choose(self, offers: Mapping[PeerID, Offer]) -> Offer:
        """The one that was begun, or else what most donors offer; of as many, the organiser's, then the newest."""
        for offer in offers.values():
            if offer.digest == self._begun_digest and offer.version == self._wish.version:
                return offer
        count = Counter(offers.values())
        organisers = {offer for donor, offer in offers.items() if donor.to_base58() == self._organiser}
        return max(count, key=lambda each: (count[each], each in organisers, each.steps, each.digest))

    async def _agreed_index(self, offers: Mapping[PeerID, Offer]) -> PartIndex:
        """The index of the state that is taken, of any donor that has it; or else of the next best state."""
        left = dict(offers)
        while left:
            chosen = self._choose(left)
            donors = tuple(donor for donor, offer in left.items() if offer == chosen)
            if (index := await self._index(donors, chosen)) is not None:
                return index
            left = {donor: offer for donor, offer in left.items() if offer != chosen}
        raise _MovedOnError

    async def _index(self, donors: tuple[PeerID, ...], offer: Offer) -> PartIndex | None:
        """The index that those donors have; ``None`` if none of them sends it."""
        for donor in random.sample(donors, len(donors)):
            async with self._stream(donor, "sends no index") as stream:
                if await stream.open(Wish(offer.steps, offer.root)) != offer:
                    raise LostDonorError("it does not have that state any more")
                stream.order(INDEX)
                hashes = await stream.received(HASH_BYTES * parts_of(offer.size_bytes))
                index = PartIndex(offer.version, offer.size_bytes, hashes)
                if index.digest == offer.digest:
                    return index
                raise LyingDonorError("its index is not the one that it has told of")
        return None

    @contextlib.asynccontextmanager
    async def _stream(self, donor: PeerID, failure: str) -> AsyncIterator[DonorStream]:
        """A stream of that donor's, who is left out if it lies; any other ``failure`` of its is a line in the log."""
        stream = DonorStream(self._stubs[donor], self._arrivals)
        try:
            yield stream
        except LyingDonorError as error:
            self._leave_out(donor, error)
        except Exception as error:  # whatever a stranger's end of the line does
            log.info("%s %s: %r", donor, failure, error)
        finally:
            await stream.close()

    async def _fill(self, file: PartialFile, index: PartIndex) -> None:
        """Fetch what is wanted from all donors at once."""
        self._ordered_at = dict.fromkeys(self._wanted, float("inf"))
        self._elsewhere.clear()
        self._moved_at = time.monotonic()
        tasks = [asyncio.create_task(self._fetch_for_long(donor, file, index)) for donor in self._stubs]
        try:
            while self._ordered_at:
                for task in tasks:
                    if task.done() and (error := task.exception()) is not None:
                        raise error
                if self._elsewhere and self._stubs.keys() <= self._elsewhere | self.liars:
                    raise _MovedOnError
                if time.monotonic() - self._moved_at > GIVE_UP_SECONDS + self._paced_seconds or all(
                    task.done() for task in tasks
                ):
                    is_one_busy = time.monotonic() - self._busy_at < GIVE_UP_SECONDS
                    failure = f"{len(self._ordered_at)} parts are missing, and nobody sends them"
                    raise (DonorBusyError if is_one_busy else IncompleteError)(failure)
                self._order_late_parts_anew()
                await asyncio.sleep(POLL_SECONDS)
        finally:
            await end(*tasks)

    def _order_late_parts_anew(self) -> None:
        """A slow donor must not hold up the end: once all are on order, others may send what is late as well."""
        if not self._wanted:
            now = time.monotonic()
            patience = LATE_SECONDS + self._paced_seconds
            late = [number for number, at in self._ordered_at.items() if now - at > patience]
            self._wanted.extend(late)
            self._ordered_at |= dict.fromkeys(late, now)

    @property
    def _most_streams(self) -> int:
        """The donors that are asked at once: under a limit fewer, but not one alone, which may send next to nothing."""
        limit = downloads().limit
        return len(self._stubs) if limit is None else max(FEWEST_DONORS, limit // DONOR_RATE)

    @property
    def _paced_seconds(self) -> float:
        """What all that is on order takes at the owner's limit, which is no donor's fault."""
        limit = downloads().limit
        return 0.0 if limit is None else AHEAD * PART_BYTES * self._most_streams / limit

    async def _fetch_for_long(self, donor: PeerID, file: PartialFile, index: PartIndex) -> None:
        """Fetch parts from that donor, as long as any is wanted. Raises StorageError."""
        while donor not in self.liars:
            try:
                if self._wanted and self._streams < self._most_streams:
                    self._streams += 1
                    try:
                        await self._fetch(donor, file, index)
                    finally:
                        self._streams -= 1
                await asyncio.sleep(POLL_SECONDS)
            except LyingDonorError as error:
                self._leave_out(donor, error)
            except StorageError:
                raise
            except Exception as error:  # whatever a stranger's end of the line does
                log.info("%s sends nothing now: %r", donor, error)
                await asyncio.sleep(RETRY_SECONDS)

    async def _fetch(self, donor: PeerID, file: PartialFile, index: PartIndex) -> None:
        """Fetch parts from that donor in one stream, until none is wanted. Raises whatever the line does."""
        stream, ordered = DonorStream(self._stubs[donor], self._arrivals), deque[int]()
        try:
            offer = await stream.open(Wish(*index.version))
            if offer.is_not_now:
                self._busy_at = time.monotonic()
                raise DonorBusyError(offer.is_not_now)
            if offer != index.offer:
                self._elsewhere.add(donor)
                raise LostDonorError("it has another state")
            self._elsewhere.discard(donor)
            while True:
                while len(ordered) < AHEAD and (number := self._next_wanted()) is not None:
                    ordered.append(number)
                    stream.order(number)
                if not ordered:
                    return
                data = await stream.received(index.length(ordered[0]))
                await self._keep(donor, ordered[0], data, file, index)
                ordered.popleft()
        finally:
            self._wanted.extendleft(number for number in ordered if number in self._ordered_at)
            await stream.close()

    def _next_wanted(self) -> int | None:
        """The number of a part to order now, if any is wanted."""
        while self._wanted:
            number = self._wanted.popleft()
            if number in self._ordered_at:
                self._ordered_at[number] = time.monotonic()
                return number
        return None

    async def _keep(self, donor: PeerID, number: int, data: bytes, file: PartialFile, index: PartIndex) -> None:
        """Write down a part that has come, if it is right. Raises LyingDonorError and StorageError."""
        if not index.is_right(number, data):
            raise LyingDonorError(f"part {number} is not what the index says")
        try:
            await self._arrivals.in_thread(file.write, number, data)
        except OSError as error:
            raise StorageError(str(error)) from error
        self._ordered_at.pop(number, None)
        self._moved_at = time.monotonic()
        self._sent_bytes[donor] += len(data)

    def _leave_out(self, donor: PeerID, error: LyingDonorError) -> None:
        log.warning("the donor %s is left out: %s", donor, error)
        self.liars.add(donor)


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancel them until all have ended, with whatever; ``asyncio.wait_for`` of Python 3.11 may lose a cancellation."""
    while any(not task.done() for task in tasks):
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=CANCEL_SECONDS)
    await asyncio.gather(*tasks, return_exceptions=True)
