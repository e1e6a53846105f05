"""A donor of whole states serves two newcomers at a time, with hivemind's own RPC between real p2pds."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from hivemind.compression import NoCompression
from hivemind.p2p import P2P, PeerID
from hivemind.proto import averaging_pb2
from hivemind.utils import MPFuture, MSGPackSerializer
from torch import Tensor

from core.protocol.events import StateLoading
from core.worker.process.channel import WorkerChannel
from core.worker.roles.preparation import DownloadProgress
from core.worker.swarm.averaging.averager_process import AveragerProcess
from core.worker.swarm.averaging.state_download import MAX_BUSY_SEARCHES, StateDownload
from core.worker.swarm.averaging.state_validation import BUSY, State
from core.worker.swarm.state_parts.arrivals import Arrivals
from core.worker.swarm.state_parts.line_share import SHARE
from core.worker.swarm.state_parts.slots import MAX_DOWNLOADS, Slots
from tests.worker.state_parts.donors import TakesAnyState

PREFIX = "state"
NUMBERS = 500_000
STATE_BYTES = 4 * NUMBERS
LIMIT_SECONDS = 120.0


class Donor(AveragerProcess):
    """What a donor's process serves, without the process: its state is the same numbers for everybody."""

    allow_state_sharing = True
    state_compression = NoCompression()
    _parent_pid = 0  # nothing was forked

    def __init__(self) -> None:
        self._slots = Slots()
        self.copies = 0
        """How often the state was copied for somebody."""

    async def _get_current_state_from_host_process(self) -> Any:
        self.copies += 1
        return MSGPackSerializer.dumps({"epoch": 3}), [torch.arange(float(NUMBERS))], None


@contextlib.asynccontextmanager
async def served(donor: Donor, newcomers: int) -> AsyncIterator[tuple[PeerID, list[P2P]]]:
    """The donor behind a p2pd of its own, and those who are connected to it."""
    async with contextlib.AsyncExitStack() as ends:
        home = await P2P.create()
        ends.push_async_callback(home.shutdown)
        await donor.add_p2p_handlers(home, namespace=PREFIX)
        addresses = await home.get_visible_maddrs()
        askers = []
        for _ in range(newcomers):
            askers.append(await P2P.create(initial_peers=addresses, dht_mode="client"))
            ends.push_async_callback(askers[-1].shutdown)
        yield home.peer_id, askers


async def asked(asker: P2P, donor: PeerID) -> AsyncIterator[averaging_pb2.DownloadData]:
    """The stream that hivemind's own download reads."""
    stub = Donor.get_stub(asker, donor, namespace=PREFIX)
    stream: AsyncIterator[averaging_pb2.DownloadData] = await stub.rpc_download_state(averaging_pb2.DownloadRequest())
    return stream


async def received(stream: AsyncIterator[averaging_pb2.DownloadData]) -> int:
    """The bytes of tensors in the rest of a stream."""
    return sum([len(message.tensor_part.buffer) async for message in stream])


async def _ask_five() -> None:
    donor = Donor()
    async with asyncio.timeout(LIMIT_SECONDS), served(donor, 5) as (peer, askers):
        begun = [await asked(asker, peer) for asker in askers[:MAX_DOWNLOADS]]
        first = [len((await anext(stream)).tensor_part.buffer) for stream in begun]
        turned_away = [await received(await asked(asker, peer)) for asker in askers[MAX_DOWNLOADS:]]
        assert turned_away == [0, 0, 0], "hivemind reads that as: ask another donor"
        assert donor.copies == MAX_DOWNLOADS, "nothing is copied for who is turned away"
        rest = [await received(stream) for stream in begun]
        assert [size + more for size, more in zip(first, rest, strict=True)] == [STATE_BYTES] * MAX_DOWNLOADS
        later = [await received(await asked(asker, peer)) for asker in askers[MAX_DOWNLOADS:]]
        assert later == [STATE_BYTES] * 3, "their turn comes"


@pytest.mark.real
def test_five_who_ask_at_once_are_served_two_at_a_time() -> None:
    asyncio.run(_ask_five())


async def _ask_slowly(upload: float) -> float:
    donor = Donor()
    donor._slots.share.upload = upload
    async with asyncio.timeout(LIMIT_SECONDS), served(donor, 2) as (peer, askers):
        began = time.monotonic()
        streams = [await asked(asker, peer) for asker in askers]
        assert await asyncio.gather(*map(received, streams)) == [STATE_BYTES, STATE_BYTES]
        return time.monotonic() - began


@pytest.mark.real
def test_two_together_take_no_more_than_their_share_of_a_measured_line() -> None:
    upload = 16e6
    assert asyncio.run(_ask_slowly(upload)) > 0.8 * 2 * 8 * STATE_BYTES / (SHARE * upload)


def arriving(arrivals: Arrivals) -> MPFuture[Any]:
    """An answer of 50 bytes, which comes while one waits for it."""
    future: MPFuture[Any] = MPFuture()  # of no class of ours: the first one of a process makes hivemind's backend
    wait = future.result

    def result(timeout: float | None = None) -> Any:
        arrivals.add(averaging_pb2.DownloadData(metadata=bytes(50)))
        return wait(timeout)

    future.result = result
    return future


class Newcomer(TakesAnyState):
    """An averager that wants a state; each search of its finds what the donors answer then: None for a dead line."""

    has_begun = False

    def __init__(self, *answers: State | None) -> None:
        self._answers, self.arrivals = list(answers), Arrivals()

    def request_state(self, unwanted: Any, min_epoch: int = 0) -> MPFuture[Any]:
        """Ask the next donor that was not asked in this search."""
        future = arriving(self.arrivals)
        asked_before = len([*unwanted])
        left = self._answers[asked_before:]
        future.set_result((PeerID(bytes([asked_before])), left[0]) if left else None)
        return future

    def is_behind(self, _state: State) -> bool:
        """Whether it is of an epoch before the second."""
        return bool(_state[0]["epoch"] < 2)


class Mirrored(Newcomer):
    """Has a state of the run's mirror already, and asks only for what has come since."""

    has_begun = True


def loadings_of(newcomer: Newcomer) -> list[tuple[str, int, int]]:
    """What is said while it downloads a state that the manifest says is of 1000 bytes, of which 50 are received."""
    said = list[StateLoading]()
    progress = DownloadProgress(cast(WorkerChannel, SimpleNamespace(emit=said.append)), "state")

    def on_progress(received: int, is_done: bool, is_rest: bool) -> None:
        progress.progress_from_peers(received, 1000, is_done=is_done, is_rest=is_rest)

    assert StateDownload(threading.Event(), on_progress, lambda *_: None).find(newcomer) == STATE
    return [(each.what, each.received_bytes, each.total_bytes) for each in said]


def test_what_is_loaded_on_top_of_the_mirrors_state_is_told_as_the_rest_and_not_as_the_same_state_anew() -> None:
    assert loadings_of(Newcomer(STATE)) == [("state", 0, 1000), ("state", 1000, 1000)]
    assert loadings_of(Mirrored(STATE)) == [("rest", 0, 0), ("rest", 50, 50)]


def searching() -> StateDownload:
    """A search that nobody hears of."""
    return StateDownload(threading.Event(), lambda *_: None, lambda *_: None)


STATE: tuple[dict[str, Any], list[Tensor]] = ({"epoch": 3}, [torch.zeros(1)])


def test_whoever_is_turned_away_asks_another_donor_in_the_same_search() -> None:
    download = searching()
    assert download.find(Newcomer(BUSY, None, BUSY, STATE)) == STATE
    assert not download.is_busy


def test_donors_that_serve_others_are_worth_waiting_for_and_dead_ones_are_not() -> None:
    download = searching()
    assert download.find(Newcomer(BUSY, None)) is None and download.is_busy
    assert download.find(Newcomer(None, None)) is None and not download.is_busy
    assert download.find(Newcomer(STATE)) == STATE


class Choosy(Newcomer):
    """Refuses the first state that it is given: its own loss is lower than that of the run's first rounds."""

    refusals = 0

    def trial_error(self, state: State) -> str:
        """What is wrong with it, at first."""
        self.refusals += 1
        return "its loss is higher than ours" if self.refusals == 1 else ""


def test_a_donor_whose_state_was_refused_is_asked_again_after_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    download, newcomer = searching(), Choosy(STATE)
    download.has_state = True
    assert download.find(newcomer) is None and download.find(newcomer) is None
    assert newcomer.refusals == 1
    monkeypatch.setattr("core.worker.swarm.averaging.state_download.REFUSED_SECONDS", 0.0)
    assert download.find(newcomer) == STATE


def test_a_newcomer_that_still_offers_the_untrained_model_is_no_liar() -> None:
    """Its loss would be far above ours, and its epoch is one that we have behind us."""
    refused, newcomer = list[str](), Choosy(({"epoch": 0}, [torch.zeros(1)]), STATE)
    download = StateDownload(threading.Event(), lambda *_: None, lambda donor, _why: refused.append(donor))
    assert download.find(newcomer) is None and len(refused) == 1, "the only one that is tried is that of epoch 3"
    assert newcomer.refusals == 1


def test_a_search_beside_training_tells_busy_donors_from_dead_ones() -> None:
    download = searching()
    for answers, is_busy in (((BUSY, None), True), ((None, None), False)):
        newcomer = Newcomer(*answers)
        while (found := download.go_on(newcomer, 3)) is None:
            pass
        assert not found and download.is_busy is is_busy


def test_a_donor_that_never_sends_anything_is_not_waited_for_without_end() -> None:
    download = searching()
    for _ in range(MAX_BUSY_SEARCHES):
        assert download.find(Newcomer(BUSY)) is None and download.is_busy
    assert download.find(Newcomer(BUSY)) is None and not download.is_busy
