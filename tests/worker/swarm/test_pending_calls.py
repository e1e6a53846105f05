"""An answer that comes in the moment in which its time limit ends costs hivemind no other answer (H68)."""

from __future__ import annotations

import asyncio
from uuid import UUID, uuid4

import pytest
from hivemind.p2p.p2p_daemon_bindings.control import ControlClient, DaemonConnector
from hivemind.p2p.p2p_daemon_bindings.utils import write_pbmsg
from hivemind.proto import p2pd_pb2

from core.worker.swarm.patches.pending_calls import ignore_late_answers


class Daemon:
    """In the place of p2pd: what a client reads from it."""

    def __init__(self) -> None:
        self.reader = asyncio.StreamReader()

    def write(self, data: bytes) -> None:
        """Take what `write_pbmsg` writes."""
        self.reader.feed_data(data)

    async def drain(self) -> None:
        """There is always room."""

    async def answer(self, call: UUID, data: bytes) -> None:
        """Answer that call of the client."""
        answered = p2pd_pb2.CallUnaryResponse(response=data)
        await write_pbmsg(self, p2pd_pb2.PersistentConnectionResponse(callId=call.bytes, callUnaryResponse=answered))


async def _later_answer() -> bytes:
    daemon, over, later = Daemon(), uuid4(), uuid4()
    client = ControlClient(DaemonConnector(), _initialized_with_create=True)
    for call in (over, later):
        client._pending_calls[call] = asyncio.Future()
        await daemon.answer(call, b"yes")
    client._pending_calls[over].cancel()  # by a time limit, and its coroutine has not run since
    reading = asyncio.create_task(client._read_from_persistent_conn(daemon.reader))
    try:
        async with asyncio.timeout(5.0):
            answered: bytes = await client._pending_calls[later]
            return answered
    finally:
        reading.cancel()


def test_an_answer_to_a_call_that_is_over_costs_no_other_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ControlClient, "__init__", ControlClient.__init__)  # as it was, once the test is over
    ignore_late_answers()
    assert asyncio.run(_later_answer()) == b"yes"
