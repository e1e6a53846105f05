"""A donor that only drips is left out, with hivemind's own RPC between real p2pds; one on a slow line is not."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from typing import Any, AsyncIterator  # noqa: UP035 - hivemind reads this very annotation

import pytest
import torch
from hivemind.p2p import P2P, P2PContext, PeerID
from hivemind.proto import averaging_pb2, runtime_pb2
from hivemind.utils import MPFuture, MSGPackSerializer

from core.protocol.commands import LEAST_LINE_RATE
from core.worker.delegation.download_limit import downloads, share_download_limit
from core.worker.swarm.averaging import state_download
from core.worker.swarm.averaging.averager_process import AveragerProcess
from core.worker.swarm.averaging.state_download import StateDownload
from core.worker.swarm.averaging.state_validation import State
from core.worker.swarm.local_sgd.state_donor import MAX_ROUND_DOWNLOADS
from core.worker.swarm.patches import byte_counters
from core.worker.swarm.state_parts import minimum_rate
from core.worker.swarm.state_parts.arrivals import Arrivals
from core.worker.swarm.state_parts.line_share import MIN_BITS_PER_SECOND
from core.worker.swarm.state_parts.minimum_rate import USUAL_BYTES_A_SECOND, MinimumRate, SlowDonorError
from core.worker.swarm.state_parts.slots import MAX_DOWNLOADS, Slots
from tests.worker.state_parts import test_whole_state
from tests.worker.state_parts.donors import TakesAnyState
from tests.worker.state_parts.test_whole_state import PREFIX, STATE

NUMBERS = 1_500
MESSAGE_BYTES = 2**16  # of hivemind's donors
MODEM_BYTES_A_SECOND = 56_000 / 8 / 2 / 2  # half of the upload, for two newcomers
LIMIT_SECONDS = 60.0
DRIP_SECONDS = 0.05


class Donor(test_whole_state.Donor):
    """An honest one, of a small model."""

    async def _get_current_state_from_host_process(self) -> Any:
        return MSGPackSerializer.dumps({"epoch": 3}), [torch.arange(float(NUMBERS))], None


class Dripping(Donor):
    """It sends the first byte of its state, and then next to nothing, for ever."""

    drop = b"x"

    async def rpc_download_state(
        self, request: averaging_pb2.DownloadRequest, context: P2PContext
    ) -> AsyncIterator[averaging_pb2.DownloadData]:
        """Twenty bytes a second."""
        told = MSGPackSerializer.dumps({"epoch": 3})
        first = runtime_pb2.Tensor(buffer=b"x", dtype="float32", size=(NUMBERS,))
        yield averaging_pb2.DownloadData(tensor_part=first, metadata=told)
        while True:
            await asyncio.sleep(DRIP_SECONDS)
            yield averaging_pb2.DownloadData(tensor_part=runtime_pb2.Tensor(buffer=self.drop))


class SayingNothing(Dripping):
    """Its messages have nothing in them."""

    drop = b""


class OnAModem(Donor):
    """An honest one on a slow line, which serves somebody else as well."""

    async def rpc_download_state(
        self, request: averaging_pb2.DownloadRequest, context: P2PContext
    ) -> AsyncIterator[averaging_pb2.DownloadData]:
        """In pieces of a twentieth of a second."""
        size = round(MODEM_BYTES_A_SECOND * DRIP_SECONDS)
        async for message in super().rpc_download_state(request, context):
            data = message.tensor_part.buffer
            message.tensor_part.buffer = data[:size]
            yield message
            for start in range(size, len(data), size):
                await asyncio.sleep(DRIP_SECONDS)
                yield averaging_pb2.DownloadData(tensor_part=runtime_pb2.Tensor(buffer=data[start : start + size]))


class Busy(Donor):
    """An honest one that serves others the first two times that it is asked."""

    left = 2

    async def rpc_download_state(
        self, request: averaging_pb2.DownloadRequest, context: P2PContext
    ) -> AsyncIterator[averaging_pb2.DownloadData]:
        """Nothing, at first."""
        self.left -= 1
        if self.left < 0:
            async for message in super().rpc_download_state(request, context):
                yield message


class Newcomer(TakesAnyState, AveragerProcess):
    """A newcomer's averager in both of its halves, which no process divides; the first donors claim to be the best."""

    _parent_pid = 0  # nothing was forked
    serializer, prefix = MSGPackSerializer, PREFIX
    next_chunk_timeout = 60.0
    has_begun = False
    peer_id = None

    def __init__(self, p2p: P2P, donors: Iterable[PeerID]) -> None:
        self._p2p, self.arrivals, self._slots = p2p, Arrivals(), Slots()
        self._loop, self.peer_id = asyncio.get_running_loop(), p2p.peer_id
        self._offers = {donor: (float(-place), 0.0) for place, donor in enumerate(donors)}
        self.asked = list[PeerID]()
        """Whose states were downloaded, or begun to be."""

    async def _donors(self) -> dict[PeerID, tuple[float, float]]:
        return self._offers

    async def _download(self, donor: PeerID, max_bytes: int) -> State | None:
        self.asked.append(donor)
        return await super()._download(donor, max_bytes)

    def request_state(self, unwanted: Iterable[PeerID], min_epoch: int = 0) -> Any:
        """As a command to the averager's process."""
        future: Any = Future()
        asyncio.run_coroutine_threadsafe(self._fetch_state(future, unwanted, 10**6, min_epoch), self._loop)
        return future


for each in (Donor, Dripping, SayingNothing, OnAModem, Busy, Newcomer):
    each.__name__ = "TrainingStateAverager"  # under which others call it


async def _asked(*donors: Donor) -> list[Donor]:
    """Whom a newcomer asks, the best first, until it has found the right state; search after search."""
    async with asyncio.timeout(LIMIT_SECONDS), contextlib.AsyncExitStack() as ends:
        homes, addresses = dict[PeerID, Donor](), list[Any]()
        for donor in donors:
            home = await P2P.create()
            ends.push_async_callback(home.shutdown)
            await donor.add_p2p_handlers(home, namespace=PREFIX)
            homes[home.peer_id] = donor
            addresses += await home.get_visible_maddrs()
        asker = await P2P.create(initial_peers=addresses, dht_mode="client")
        ends.push_async_callback(asker.shutdown)
        newcomer, leaving = Newcomer(asker, homes), threading.Event()
        ends.callback(leaving.set)
        download = StateDownload(leaving, lambda *_: None, lambda *_: None)
        while (state := await asyncio.to_thread(download.find, newcomer)) is None:
            pass
        assert state[1][0].tolist() == list(range(NUMBERS))
        return [homes[each] for each in newcomer.asked]


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A donor's rate is known after a second."""
    monkeypatch.setattr(minimum_rate, "PERIOD_SECONDS", 1.0)


@pytest.mark.real
@pytest.mark.parametrize("kind", [Dripping, SayingNothing], ids=["dripping", "saying nothing"])
def test_a_donor_that_drips_is_left_out_although_it_claims_to_be_the_best(kind: type[Donor]) -> None:
    dripping, honest = kind(), Donor()
    assert asyncio.run(_asked(dripping, honest)) == [dripping, honest]


@pytest.mark.real
def test_a_donor_that_drips_is_not_asked_again_while_others_are_busy() -> None:
    dripping, busy = Dripping(), Busy()
    assert asyncio.run(_asked(dripping, busy)) == [dripping, busy, busy, busy]


@pytest.mark.real
def test_a_donor_on_a_modem_is_good_enough_where_there_is_no_other() -> None:
    modem = OnAModem()
    assert asyncio.run(_asked(modem)) == [modem]


@pytest.mark.real
def test_a_donor_on_a_modem_is_asked_again_once_all_others_have_failed() -> None:
    modem, dripping = OnAModem(), Dripping()
    assert asyncio.run(_asked(modem, dripping)) == [modem, dripping, modem]


def noted(rate: MinimumRate, size_bytes: int, seconds: float) -> None:
    """Messages of that size for an hour, each after so long a wait."""
    for _ in range(int(3600 / seconds)):
        rate.note(size_bytes, seconds)


def test_whole_messages_over_a_slow_line_are_no_drops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    noted(MinimumRate(), MESSAGE_BYTES, MESSAGE_BYTES / MODEM_BYTES_A_SECOND)
    share = MIN_BITS_PER_SECOND / 8 / (MAX_DOWNLOADS + MAX_ROUND_DOWNLOADS)
    noted(MinimumRate(USUAL_BYTES_A_SECOND), MESSAGE_BYTES, MESSAGE_BYTES / share)
    with pytest.raises(SlowDonorError, match="3 bytes in 177 s"):
        noted(MinimumRate(), 1, 59.0)
    with pytest.raises(SlowDonorError):
        noted(MinimumRate(USUAL_BYTES_A_SECOND), MESSAGE_BYTES, MESSAGE_BYTES / MODEM_BYTES_A_SECOND)


def test_the_owners_download_limit_is_not_the_donors_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    share_download_limit()
    downloads().limit = LEAST_LINE_RATE
    try:
        noted(MinimumRate(USUAL_BYTES_A_SECOND), MESSAGE_BYTES, 2 * MESSAGE_BYTES / LEAST_LINE_RATE)
    finally:
        share_download_limit()


class Waiting:
    """A newcomer whose averager's process never answers."""

    has_begun = False

    def __init__(self) -> None:
        self.arrivals, self.answer = Arrivals(), MPFuture[Any]()

    def request_state(self, unwanted: Iterable[PeerID], min_epoch: int = 0) -> Any:
        """As a command to the averager's process."""
        return self.answer

    is_truncated = is_behind = lambda *_: False
    format_error = trial_error = lambda *_: ""


@pytest.fixture
def chatter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The DHT receives something all the time."""
    counters, ended = byte_counters._Counters(), threading.Event()
    monkeypatch.setattr(byte_counters, "_counters", counters)

    def receive() -> None:
        while not ended.wait(DRIP_SECONDS):
            counters.received.value += 1000

    thread = threading.Thread(target=receive)
    thread.start()
    yield
    ended.set()
    thread.join()


def test_a_download_of_which_nothing_comes_ends_although_the_dht_receives_something(
    chatter: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_download, "SILENCE_SECONDS", 0.5)
    newcomer, told = Waiting(), list[int]()
    too_late = threading.Timer(LIMIT_SECONDS, newcomer.answer.set_result, [(PeerID(b"donor"), STATE)])
    too_late.start()
    download = StateDownload(threading.Event(), lambda received, *_: told.append(received), lambda *_: None)
    assert download.find(newcomer) is None
    too_late.cancel()
    assert told == [0] and byte_counters.received_bytes() > 0


def test_a_download_whose_bytes_are_checked_on_the_disk_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_download, "SILENCE_SECONDS", 0.5)
    newcomer = Waiting()

    def check() -> None:
        asyncio.run(newcomer.arrivals.in_thread(time.sleep, 2.0))
        newcomer.answer.set_result((PeerID(b"donor"), STATE))

    thread = threading.Thread(target=check)
    thread.start()
    found = StateDownload(threading.Event(), lambda *_: None, lambda *_: None).find(newcomer)
    thread.join()
    assert found is STATE and not newcomer.arrivals.is_at_work
