"""Catching up: a peer that has missed some rounds asks another one for their averages, and takes the steps itself.

It happens in the averager's process, see ``averaging/averager_process.py``: a download that prefers the rounds of a
donor's log (about 1 byte a parameter each) to the whole state (6 bytes a parameter), and parts of that from several
donors to all of it from one. What comes out is a state like any other, with the same checks before it is used. A donor
cannot make us believe in wrong rounds: after each, the hash of our weights must be what the donor itself told of them,
and the group of the next round compares those again.

Whoever has none of the versions that a log begins with may begin with a state of the run's *mirror*, which anybody can
offer: it becomes ours only where a donor's log knows its version, a hash of all of it, and leads on from there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

import msgspec
from hivemind.compression import deserialize_torch_tensor
from hivemind.p2p import PeerID
from hivemind.proto import averaging_pb2, runtime_pb2
from hivemind.utils import MPFuture
from torch import Tensor

from core.worker.swarm.averaging.state_fetch import DIAL_SECONDS, NOT_NOW, DonorBehindError
from core.worker.swarm.averaging.state_validation import State
from core.worker.swarm.local_sgd.codecs.codec import Codec
from core.worker.swarm.local_sgd.replay import (
    SERVES_OTHERS,
    OuterFactory,
    Replay,
    Round,
    WhatFollows,
    WhatWeHave,
    steps_of_state,
    version_of_state,
)
from core.worker.swarm.local_sgd.round_log import MAX_FROZEN_ROUNDS
from core.worker.swarm.local_sgd.state_donor import StateDonor
from core.worker.swarm.local_sgd.state_file import (
    MirrorUse,
    check_state_file,
    read_state_file,
    state_file_bytes,
    write_state_file,
)
from core.worker.swarm.state_parts.donor_stream import DonorBusyError
from core.worker.swarm.state_parts.download import (
    Downloaded,
    IncompleteError,
    NothingOfferedError,
    PartsDownload,
    StorageError,
    end,
)
from core.worker.swarm.state_parts.messages import Version
from core.worker.swarm.state_parts.part_index import PartIndex

MAX_DONORS = 8  # are asked for parts of one state
MIRROR = "mirror"  # in the metadata of a state: the value of its MirrorUse
NEAR_NAME = "near"  # of the file with our own state, before parts of it are replaced
MOST_ROUNDS_NEAR = 2  # that are fetched for it: if all parts differ, they are fetched for nothing
PASSED = "passed"  # the same: the versions of the weights that it leads on from

log = logging.getLogger(__name__)


class CatchUp(StateDonor):
    """An averager that downloads base weights, momentum and the number of outer steps, or the rounds that lead there.

    A state that comes in parts is put together in the folder ``downloads``. Of two that as many donors have, that of
    the run's organiser is taken.
    """

    _mirrored: Path | None = None
    _unwanted: frozenset[PeerID] = frozenset()
    _alike: frozenset[PeerID] = frozenset()
    _liars: frozenset[PeerID] = frozenset()
    _fetching: asyncio.Task[Any] | None = None

    def __init__(self, *args: Any, codec: Codec, outer: OuterFactory, downloads: Path, **kwargs: Any) -> None:
        self._codec, self._outer, self._downloads = codec, outer, downloads
        super().__init__(*args, **kwargs)

    async def _fetch_state(
        self,
        future: MPFuture[Any],
        unwanted: Iterable[PeerID],
        max_bytes: int,
        min_epoch: int = 0,
        mirrored: Path | None = None,
    ) -> None:
        """Download a state as AveragerProcess does; ``mirrored`` is the file of one from the run's mirror, if any.

        Whoever has had the very file that was refused is refused with the one that is to blame for it. A download that
        nobody waits for any more ends.
        """
        if self._fetching is not None and not self._fetching.done():
            await end(self._fetching)
        self._fetching = asyncio.current_task()
        self._mirrored, self._unwanted = mirrored, frozenset(unwanted)
        if self._unwanted & self._alike:
            self._unwanted |= self._alike
        await super()._fetch_state(future, self._unwanted, max_bytes, min_epoch)

    async def _answer(self, donor: PeerID, max_bytes: int) -> tuple[PeerID, State | None]:
        self._alike = frozenset()
        state = await self._download(donor, max_bytes)
        is_to_blame = donor if donor in self._alike else min(self._alike, default=donor, key=PeerID.to_base58)
        return is_to_blame, state

    async def _download(self, donor: PeerID, max_bytes: int) -> State | None:
        """Our own state after the rounds that we have missed, or the mirror's, or parts of donors, or a whole state.

        Raises what `NOT_NOW` names where another donor should be asked.
        """
        serialized, tensors, _infos = await self._get_current_state_from_host_process()
        metadata: dict[str, Any] = self.serializer.loads(serialized)
        own = metadata | {MIRROR: MirrorUse.NOT_NEEDED.value}
        state = await self._led_to_present((own, tensors), donor, max_bytes)
        if state is None and self._mirrored is not None:
            mirrored = await self.arrivals.in_thread(_read, self._mirrored, tensors)
            if mirrored is not None:
                begun = metadata | {MIRROR: MirrorUse.USED.value}
                state = await self._led_to_present((begun, mirrored), donor, max_bytes)
        if state is not None:
            return state
        try:
            state = await self._assembled((metadata, tensors), donor, self._downloads, max_bytes)
        except IncompleteError as error:
            log.warning("the download of a state was interrupted: %s", error)
            return None
        return state or await self._whole(donor, max_bytes)

    async def _whole(self, donor: PeerID, max_bytes: int) -> State | None:
        """The donor's whole state, as hivemind sends it."""
        self._alike = frozenset()
        state = await super()._download(donor, max_bytes)
        if state is not None and isinstance(state[0], dict):
            state[0].pop(MIRROR, None)
            state[0].pop(PASSED, None)
        return state

    async def _assembled(self, own: State, donor: PeerID, folder: Path, max_bytes: int) -> State | None:
        """A state of which several donors have sent parts, led to the present; ``None`` where none can be used.

        Raises IncompleteError where parts are missing, or DonorBusyError where donors may send them later.
        """
        offered = await self._donors()
        others = sorted(offered.keys() - {self.peer_id, donor, *self._unwanted}, key=offered.__getitem__, reverse=True)
        asked = [each for each in (donor, *others) if each not in self._liars][:MAX_DONORS]
        stubs = {each: self.get_stub(self._p2p, each, namespace=self.prefix) for each in asked}
        near = partial(self._brought_near, own[1], folder / NEAR_NAME, max_bytes)
        download = PartsDownload(stubs, state_file_bytes(own[1]), folder, self._organiser, near, self.arrivals)
        try:
            got = await download.run()
        except (NothingOfferedError, StorageError) as error:
            log.info("no state comes in parts: %s", error)
            if donor in self._liars | download.liars:
                raise IncompleteError("the donor has lied") from error
            return None
        finally:
            self._liars |= download.liars
        sent, donors = got.sent_bytes, len(asked)
        log.info("%d of %d donors sent a state of %d bytes: %s", len(sent), donors, got.index.size_bytes, _told(got))
        tensors = await self.arrivals.in_thread(_taken_out, got, own[1])
        self._alike = frozenset(got.donors)
        if tensors is None:
            raise IncompleteError("the state that donors have sent is not what they have told")
        donors_in_turn = sorted(got.donors, key=lambda each: each != donor)
        state = await self._led_on((own[0], tensors), donors_in_turn, max_bytes)
        _remove(got.path)
        return state

    async def _led_on(self, state: State, donors: Sequence[PeerID], max_bytes: int) -> State | None:
        """That state after the rounds of one of those donors; ``None`` where nothing leads on from it.

        Raises IncompleteError where none of them can be reached, or DonorBusyError where one serves others.
        """
        failures = list[Exception]()
        for donor in donors:
            try:
                led = await self._led_to_present(state, donor, max_bytes)
            except NOT_NOW as error:
                log.info("%s cannot be asked for the rounds since: %r", donor, error)
                failures.append(error)
                continue
            if led is not None:
                return led
        if len(failures) < len(donors):
            return None
        is_one_busy = any(isinstance(error, DonorBusyError) for error in failures)
        raise (DonorBusyError if is_one_busy else IncompleteError)("no donor can be asked for the rounds since")

    async def _led_to_present(self, state: State, donor: PeerID, max_bytes: int) -> State | None:
        """That state after the donor's rounds; ``None`` where they cannot be used. Raises as ``_download``."""
        try:
            return await self._caught_up(state, donor, max_bytes)
        except NOT_NOW:
            raise
        except Exception as error:  # whatever is wrong with the rounds, the whole state may be right
            log.warning("the rounds that %s has sent cannot be used: %r", donor, error)
            return None

    async def _caught_up(self, state: State, donor: PeerID, max_bytes: int) -> State | None:
        """Raises ValueError for rounds that do not lead where the donor says they do, and whatever the line does."""
        metadata, tensors = state
        version = version_of_state(tensors)
        told, parts = await self._rounds_of(donor, WhatWeHave(*version), max_bytes)
        if told is None or not (told.rounds or (told.steps, told.root) == version):
            return None
        passed = list[Version]()
        if told.rounds:
            replay = Replay(tensors, self._codec, self._outer)
            for each in told.rounds:
                passed.append(replay.version)
                await _take(each, parts, replay)
                replay.step()
            if (told.steps, told.root) != replay.version:
                raise ValueError("they do not lead to the donor's version")
            tensors = replay.tensors()
        log.info("caught up with %s by %d rounds", donor, len(told.rounds))
        return metadata | {"epoch": told.epoch, PASSED: passed}, tensors

    async def _rounds_of(
        self, donor: PeerID, have: WhatWeHave, max_bytes: int
    ) -> tuple[WhatFollows | None, AsyncIterator[averaging_pb2.DownloadData]]:
        """What that donor tells, and the messages with the parts of its rounds. Raises as ``_download``."""
        stub = self.get_stub(self._p2p, donor, namespace=self.prefix)
        async with asyncio.timeout(DIAL_SECONDS):
            stream = await stub.rpc_missed_rounds(runtime_pb2.ExpertRequest(metadata=msgspec.msgpack.encode(have)))
        messages = self._arriving(stream)
        first = await anext(messages, None)
        if first is None or len(first.metadata) > max_bytes:
            return None, messages
        told = msgspec.msgpack.decode(first.metadata, type=WhatFollows)
        if told == SERVES_OTHERS:
            raise DonorBusyError("it sends rounds to others")
        if told.epoch < self._min_epoch:
            raise DonorBehindError(f"its state is of epoch {told.epoch}, and not of {self._min_epoch} or later")
        return (None if len(told.rounds) > MAX_FROZEN_ROUNDS else told), messages

    async def _brought_near(
        self, tensors: list[Tensor], path: Path, max_bytes: int, index: PartIndex, donors: Sequence[PeerID]
    ) -> Path | None:
        """Our own state in that file, after the rounds that lead donors to the version of the index; ``None`` if none.

        An outer step changes each number by itself: of weights that differ in some parts only the others are right.
        """
        missed = index.version[0] - steps_of_state(tensors)
        if not 0 <= missed <= MOST_ROUNDS_NEAR:
            return None
        near = await self._stepped(tensors, missed, donors, max_bytes) if missed else tensors
        if near is None:
            return None
        await self.arrivals.in_thread(write_state_file, path, near, {})
        return path

    async def _stepped(
        self, tensors: list[Tensor], rounds: int, donors: Sequence[PeerID], max_bytes: int
    ) -> list[Tensor] | None:
        """That state, whose weights are not the donors', after so many rounds of one of them; ``None`` if none can."""
        have = WhatWeHave(steps_of_state(tensors), b"")
        for donor in donors:
            try:
                told, parts = await self._rounds_of(donor, have, max_bytes)
                if told is None or len(told.rounds) < rounds:
                    continue
                replay = Replay(tensors, self._codec, self._outer)
                for each in told.rounds[:rounds]:
                    await _take(each, parts, replay)
                    replay.step_from_wrong_weights()
                return replay.tensors()
            except Exception as error:  # whatever a stranger's end of the line does: all parts are fetched
                log.info("%s brings our own state no nearer: %r", donor, error)
        return None


async def _take(told: Round, messages: AsyncIterator[averaging_pb2.DownloadData], replay: Replay) -> None:
    """The parts of that round. Raises ValueError where they are not of this model, and whatever the line does."""
    replay.begin(told)
    for number in range(len(told.lengths)):
        if (message := await anext(messages, None)) is None:
            raise ValueError("it ends before all parts of its rounds are here")
        replay.add(number, deserialize_torch_tensor(message.tensor_part))


def _read(path: Path, expected: list[Tensor]) -> list[Tensor] | None:
    """The mirror's state in that file; ``None`` where it cannot be read any more."""
    try:
        return read_state_file(path, expected)
    except (OSError, ValueError) as error:
        log.warning("the mirror's state cannot be read: %s", error)
        return None


def _taken_out(got: Downloaded, expected: Sequence[Tensor]) -> list[Tensor] | None:
    """The state in a file that was downloaded; ``None`` where it is not the one that was told, and it is removed."""
    try:
        if check_state_file(got.path, expected) == got.index.version:
            return read_state_file(got.path, expected)
        log.warning("the state of %s has another hash than they have told", _names(got))
    except (OSError, ValueError) as error:
        log.warning("the state of %s cannot be used: %s", _names(got), error)
    _remove(got.path)
    return None


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def _names(got: Downloaded) -> str:
    return ", ".join(map(str, got.donors))


def _told(got: Downloaded) -> str:
    return ", ".join(f"{sent:,} of {donor}" for donor, sent in got.sent_bytes.items())
