"""A call that its caller takes back leaves nothing behind at whoever was asked (H75), with two real p2pd."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import weakref

import pytest
from hivemind.p2p import P2P, P2PContext, ServicerBase
from hivemind.p2p.p2p_daemon_bindings.control import ControlClient
from hivemind.proto.runtime_pb2 import ExpertRequest, ExpertResponse

from core.worker.swarm.patches.handler_tasks import forget_ended_handlers

LIMIT_SECONDS = 30.0
CALLS = 20
REQUEST = ExpertRequest(metadata=bytes(2**16))
ANSWER = ExpertResponse(metadata=b"yes")


class Host(ServicerBase):  # type: ignore[misc]  # hivemind has no types
    """It thinks about each call for ever, until it is told to answer at once."""

    def __init__(self) -> None:
        self.answers_at_once, self.called = False, asyncio.Event()
        self.handled = list[weakref.ref[P2PContext]]()

    async def rpc_forward(self, _request: ExpertRequest, context: P2PContext) -> ExpertResponse:
        self.handled.append(weakref.ref(context))
        if len(self.handled) == CALLS:
            self.called.set()
        if not self.answers_at_once:
            await asyncio.Event().wait()
        return ANSWER


async def kept_of_calls(*, are_taken_back: bool) -> tuple[int, int]:
    """How many tasks a host still has of some calls, and how many contexts, once all of these are over."""
    first = await P2P.create(host_maddrs=["/ip4/127.0.0.1/tcp/0"])
    second = await P2P.create(
        host_maddrs=["/ip4/127.0.0.1/tcp/0"], initial_peers=map(str, await first.get_visible_maddrs())
    )
    try:
        host = Host()
        host.answers_at_once = not are_taken_back
        await host.add_p2p_handlers(first)
        stub, tasks = Host.get_stub(second, first.peer_id), first._client.control._handler_tasks
        calls = [asyncio.create_task(stub.rpc_forward(REQUEST)) for _ in range(CALLS)]
        async with asyncio.timeout(LIMIT_SECONDS):
            await host.called.wait()
            if are_taken_back:
                for call in calls:
                    call.cancel()
            answers = await asyncio.gather(*calls, return_exceptions=True)
            assert all(
                isinstance(each, asyncio.CancelledError) if are_taken_back else each == ANSWER for each in answers
            )
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LIMIT_SECONDS):
                while tasks:
                    await asyncio.sleep(0.05)
        gc.collect()
        return len(tasks), sum(each() is not None for each in host.handled)
    finally:
        await second.shutdown()
        await first.shutdown()


@pytest.mark.parametrize("are_taken_back", [False, True])
def test_a_call_that_is_over_is_forgotten_with_its_request(
    are_taken_back: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ControlClient, "__init__", ControlClient.__init__)  # as it was, once the test is over
    forget_ended_handlers()
    tasks, contexts = asyncio.run(kept_of_calls(are_taken_back=are_taken_back))
    assert tasks == 0
    assert contexts <= 1, "the last one's task is a variable of hivemind's loop that reads"
