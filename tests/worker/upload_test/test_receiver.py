"""Real peers upload to one another, some of them wrongly: nobody gets more than there is, and nothing stays."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from hivemind.p2p import P2P, P2PContext, ServicerBase
from hivemind.proto import runtime_pb2

from core.worker.swarm.upload_test import receiver as receiver_module
from core.worker.swarm.upload_test.measurement import upload_to
from core.worker.swarm.upload_test.paced_upload import CHUNK_BYTES, MAX_BYTES, RECEIPT_BYTES
from core.worker.swarm.upload_test.receiver import AGAIN_SECONDS, MAX_REMEMBERED, MAX_SECONDS, Admission
from core.worker.swarm.upload_test.receiver import UploadReceiver as OurReceiver
from tests.support.computer.fake_clock import FakeClock

pytestmark = [
    pytest.mark.real,
    pytest.mark.filterwarnings("ignore:Exception ignored in. <function StreamWriter"),  # hivemind leaves some unclosed
    pytest.mark.filterwarnings("ignore:Exception ignored in. <function _SelectorTransport"),
    pytest.mark.filterwarnings("ignore:Exception ignored in. <socket"),
    pytest.mark.filterwarnings("ignore:unclosed <StreamWriter:ResourceWarning"),
]

LIMIT_SECONDS = 60.0
LOOPBACK: dict[str, Any] = {
    "host_maddrs": ["/ip4/127.0.0.1/tcp/0"],
    "dht_mode": "client",
    "nat_port_map": False,
    "auto_nat": False,
    "use_relay": False,
}
CHUNK = runtime_pb2.ExpertRequest(metadata=bytes(CHUNK_BYTES))


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test is too slow for the receiver, whatever else this computer does."""
    monkeypatch.setattr(receiver_module, "MAX_SECONDS", LIMIT_SECONDS)


@contextlib.asynccontextmanager
async def peers(receiver: ServicerBase | None, others: int = 1) -> AsyncIterator[list[P2P]]:
    """One that receives, or is a plain hivemind peer, and others that know where it is."""
    async with contextlib.AsyncExitStack() as ends:

        async def peer(**options: Any) -> P2P:
            made = await P2P.create(**LOOPBACK, **options)
            ends.push_async_callback(made.shutdown)
            return made

        first = await peer()
        if receiver is not None:
            await receiver.add_p2p_handlers(first)
        known = await first.get_visible_maddrs()
        yield [first, *[await peer(initial_peers=known) for _ in range(others)]]


def live(test: Callable[..., Awaitable[Any]], receiver: ServicerBase | None, others: int = 1) -> Any:
    """What comes of that test with those peers."""

    async def lived() -> Any:
        async with peers(receiver, others) as everybody:
            return await test(*everybody)

    return asyncio.run(asyncio.wait_for(lived(), LIMIT_SECONDS))


async def receipts(sender: P2P, receiver: P2P, chunks: AsyncIterator[runtime_pb2.ExpertRequest]) -> list[bytes]:
    """All that are sent back for them."""
    stream = await OurReceiver.get_stub(sender, receiver.peer_id).rpc_receive(chunks)
    with contextlib.suppress(ConnectionError):  # it has ended, and we still send
        return [receipt.metadata async for receipt in stream]
    return []


async def some(*chunks: runtime_pb2.ExpertRequest) -> AsyncIterator[runtime_pb2.ExpertRequest]:
    """Those, and the end."""
    for chunk in chunks:
        yield chunk


def test_an_upload_has_a_speed_and_another_one_must_wait() -> None:
    async def twice(receiver: P2P, sender: P2P) -> list[float | None]:
        return [await upload_to(sender, receiver.peer_id, 2.0) for _ in range(2)]

    first, second = live(twice, OurReceiver())
    assert first is not None and first > 0
    assert second is None


def test_a_plain_hivemind_peer_is_left_alone() -> None:
    async def once(receiver: P2P, sender: P2P) -> float | None:
        return await upload_to(sender, receiver.peer_id, 2.0)

    assert live(once, None) is None


class UploadReceiver(ServicerBase):  # type: ignore[misc]
    """Of the same name, it confirms what it has not read."""

    async def rpc_receive(self, stream: Any, context: P2PContext) -> Any:
        """Wrong receipts, for ever."""
        while True:
            yield runtime_pb2.ExpertResponse(metadata=bytes(RECEIPT_BYTES))

    rpc_receive.__annotations__ |= {
        "stream": "AsyncIterator[runtime_pb2.ExpertRequest]",
        "return": "AsyncIterator[runtime_pb2.ExpertResponse]",
    }


def test_who_confirms_what_it_cannot_have_read_counts_for_nothing() -> None:
    async def once(receiver: P2P, sender: P2P) -> float | None:
        return await upload_to(sender, receiver.peer_id, 2.0)

    assert live(once, UploadReceiver()) is None


def test_who_sends_for_ever_is_read_for_some_megabytes(patient: None) -> None:
    async def for_ever() -> AsyncIterator[runtime_pb2.ExpertRequest]:
        while True:
            yield CHUNK

    async def flooded(receiver: P2P, sender: P2P) -> int:
        confirmed = 0
        stream = await OurReceiver.get_stub(sender, receiver.peer_id).rpc_receive(for_ever())
        with contextlib.suppress(ConnectionError):
            async for _ in stream:
                confirmed += 1
        return confirmed

    most = MAX_BYTES // CHUNK_BYTES
    assert most / 2 < live(flooded, OurReceiver()) <= most  # the last receipts may be lost with the stream


@pytest.mark.parametrize(
    "garbage",
    [
        runtime_pb2.ExpertRequest(),
        runtime_pb2.ExpertRequest(metadata=b"short"),
        runtime_pb2.ExpertRequest(metadata=bytes(2**20)),
        runtime_pb2.ExpertRequest(metadata=bytes(CHUNK_BYTES), tensors=[runtime_pb2.Tensor(buffer=b"more")]),
    ],
    ids=["empty", "short", "long", "more"],
)
def test_garbage_ends_a_test(garbage: runtime_pb2.ExpertRequest) -> None:
    async def sent(receiver: P2P, sender: P2P) -> list[bytes]:
        return await receipts(sender, receiver, some(CHUNK, garbage, CHUNK, CHUNK))

    assert len(live(sent, OurReceiver())) <= 1


def test_two_do_not_share_the_line_and_the_second_comes_after_the_first(patient: None) -> None:
    async def at_once(receiver: P2P, one: P2P, other: P2P) -> tuple[int, int]:
        ended = asyncio.Event()

        async def slowly() -> AsyncIterator[runtime_pb2.ExpertRequest]:
            yield CHUNK
            await ended.wait()

        stream = await OurReceiver.get_stub(one, receiver.peer_id).rpc_receive(slowly())
        await anext(stream)
        while_busy = len(await receipts(other, receiver, some(CHUNK)))
        ended.set()
        assert await anext(stream, None) is None
        return while_busy, len(await receipts(other, receiver, some(CHUNK)))

    assert live(at_once, OurReceiver(), others=2) == (0, 1)


class NotedAdmission(Admission):
    """It tells when a test has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.has_ended = asyncio.Event()

    def end(self, peer: Any) -> None:
        """That peer's test is over."""
        super().end(peer)
        self.has_ended.set()


def test_who_sends_nothing_loses_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiver_module, "MAX_SECONDS", 0.2)
    admission = NotedAdmission()

    async def silent() -> AsyncIterator[runtime_pb2.ExpertRequest]:
        yield CHUNK
        await asyncio.Event().wait()

    async def waited(receiver: P2P, sender: P2P) -> None:
        stream = await OurReceiver.get_stub(sender, receiver.peer_id).rpc_receive(silent())
        assert await anext(stream)
        await admission.has_ended.wait()

    live(waited, OurReceiver(admission))


def test_a_peer_tests_once_in_a_while_and_no_crowd_is_remembered() -> None:
    clock = FakeClock(1000.0)
    admission = Admission(clock)
    assert admission.admit("one") and not admission.admit("other")
    admission.end("other")  # which never had the place
    assert not admission.admit("other")
    admission.end("one")
    assert not admission.admit("one") and admission.admit("other")
    clock.now += MAX_SECONDS  # nothing was heard of the other's end
    assert admission.admit("third")
    clock.now += AGAIN_SECONDS
    for number in range(MAX_REMEMBERED):
        assert admission.admit(number)
        admission.end(number)
    assert not admission.admit("one more")
