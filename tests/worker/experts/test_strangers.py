"""What strangers send and announce: nothing of it is decoded, computed or believed that is not as it should be."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import torch
from hivemind.compression import serialize_torch_tensor
from hivemind.p2p import PeerID
from hivemind.proto import runtime_pb2

from core.run.signed_record import CLOCK_SECONDS
from core.run.spec.experts import MOST_HOSTED, ExpertsSpec
from core.security.identity import Identity
from core.worker.experts.block import ExpertId
from core.worker.experts.calls import ExpertInput
from core.worker.experts.expert_file import MAX_COPIES
from core.worker.experts.hosted_expert import HostedExpert
from core.worker.swarm.experts.announcements import (
    LIFETIME_SECONDS,
    Announcement,
    Hosted,
    announcement_in,
    nobody,
    sign_announcement,
)
from core.worker.swarm.experts.messages import (
    CallHeader,
    call_header,
    most_tokens,
    refuse_outsized,
    reply_header,
    request,
    tensors_in,
)
from core.worker.swarm.experts.quotas import HostLimits, Quotas
from core.worker.swarm.experts.server import ExpertServer
from tests.support.computer.fake_clock import FakeClock

HIDDEN = 16
RUN_ID = "experts"
LIMIT_SECONDS = 60.0
FREE_STATES = HostLimits(state_seconds=0.0)


def packed(*shape: int, **other: Any) -> runtime_pb2.Tensor:
    """A tensor as it should be, but for what is other."""
    tensor = serialize_torch_tensor(torch.ones(shape))
    for name, value in other.items():
        if name == "size":
            del tensor.size[:]
            tensor.size.extend(value)
        else:
            setattr(tensor, name, value)
    return tensor


def test_a_request_is_read_as_it_was_sent() -> None:
    tokens, gradient = torch.randn(3, HIDDEN), torch.randn(3, HIDDEN)
    sent = runtime_pb2.ExpertRequest.FromString(request(CallHeader(1, 5, 7), tokens, gradient).SerializeToString())
    assert call_header(sent).expert == ExpertId(1, 5) and call_header(sent).seed == 7
    for found, wanted in zip(tensors_in(list(sent.tensors), 2, HIDDEN), (tokens, gradient), strict=True):
        assert torch.equal(found, wanted)


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [packed(3, HIDDEN)] * 2,
        [packed(0, HIDDEN)],
        [packed(3, HIDDEN + 1)],
        [packed(HIDDEN)],
        [packed(most_tokens(HIDDEN) + 1, HIDDEN)],
        [packed(3, HIDDEN, size=[2**31, HIDDEN])],
        [packed(3, HIDDEN, buffer=b"1234")],
        [packed(3, HIDDEN, buffer=b"")],
        [packed(3, HIDDEN, dtype="float64")],
        [packed(3, HIDDEN, dtype="object")],
        [packed(3, HIDDEN, compression=runtime_pb2.CompressionType.BLOCKWISE_8BIT)],
        [serialize_torch_tensor(torch.full((3, HIDDEN), torch.nan))],
        [serialize_torch_tensor(torch.full((3, HIDDEN), torch.inf))],
    ],
)
def test_tensors_of_another_number_shape_type_or_size_or_not_finite_are_refused(wrong: list[Any]) -> None:
    with pytest.raises(ValueError):
        tensors_in(wrong, 1, HIDDEN)


@pytest.mark.parametrize("weights", [1.0, 10.0])  # times those before any training
@pytest.mark.parametrize("tokens", [torch.zeros(3, HIDDEN), torch.full((3, HIDDEN), 1e-6), torch.randn(3, HIDDEN)])
def test_what_an_expert_makes_of_tokens_and_gradients_is_not_too_large(tokens: torch.Tensor, weights: float) -> None:
    expert = HostedExpert(ExpertId(1, 0), HIDDEN, ExpertsSpec(expert_dropout=0.9))
    expert.restore(
        {name: weights * value if value.dim() > 1 else value + weights for name, value in expert.state().items()}, 0
    )
    refuse_outsized(expert.forward(tokens, 1), ExpertInput(expert.id, tokens, 1))
    for scale in (0.0, 1e-30, 1.0, 1e6):
        gradient = scale * torch.randn(3, HIDDEN)
        answer = expert.backward("a", tokens, gradient, 1)
        refuse_outsized(answer, ExpertInput(expert.id, tokens, 1, gradient))


@pytest.mark.parametrize("huge", [3e38, 1e6])
def test_an_answer_that_is_much_longer_than_what_was_asked_is_refused(huge: float) -> None:
    tokens, answer = torch.ones(3, HIDDEN), torch.ones(3, HIDDEN)
    answer[2] = huge
    for gradient in (None, torch.ones(3, HIDDEN)):
        with pytest.raises(ValueError, match="larger"):
            refuse_outsized(answer, ExpertInput(ExpertId(1, 0), tokens, None, gradient))
    with pytest.raises(ValueError, match="larger"):
        refuse_outsized(torch.ones(3, HIDDEN), ExpertInput(ExpertId(1, 0), tokens, None, torch.zeros(3, HIDDEN)))


@pytest.mark.parametrize(
    "wrong", [b"", b"\x00", bytes(10_000), msgspec.msgpack.encode([1, 2**40]), msgspec.msgpack.encode([-1, 0, None])]
)
def test_a_header_that_is_none_is_refused(wrong: bytes) -> None:
    with pytest.raises(ValueError):
        call_header(runtime_pb2.ExpertRequest(metadata=wrong))


def test_an_announcement_counts_for_a_minute_and_in_its_hosts_name_only() -> None:
    host, other = Identity.create(), Identity.create()
    told = sign_announcement(
        Announcement(run_id=RUN_ID, at=1000.0, experts=((1, 0, 7, 900), (1, 4, 0, 0)), copies=((1, 2, 3),)), host
    )
    assert announcement_in(told, host.peer_id, RUN_ID, 1030.0) == Hosted(
        {ExpertId(1, 0): 7, ExpertId(1, 4): 0}, {ExpertId(1, 2): 3}, {ExpertId(1, 0): 900, ExpertId(1, 4): 0}
    )
    assert announcement_in(told, other.peer_id, RUN_ID, 1030.0) is None
    assert announcement_in(told, host.peer_id, "another", 1030.0) is None
    assert announcement_in(told, host.peer_id, RUN_ID, 1001.0 + LIFETIME_SECONDS + CLOCK_SECONDS) is None
    assert announcement_in(told, host.peer_id, RUN_ID, 999.0 - CLOCK_SECONDS) is None
    assert announcement_in(told[:-1] + bytes([told[-1] ^ 1]), host.peer_id, RUN_ID, 1030.0) is None


def test_all_experts_that_a_computer_may_host_fit_into_an_announcement() -> None:
    host = Identity.create()
    experts = tuple((23, 1023 - number, 2**32 - 1, 2**40) for number in range(MOST_HOSTED))
    copies = tuple((23, number, 2**32 - 1) for number in range(2 * MAX_COPIES))  # as many again were left
    told = Announcement(run_id="r" * 64, at=1000.0, experts=experts, copies=copies)
    found = announcement_in(sign_announcement(told, host), host.peer_id, told.run_id, 1000.0)
    assert found is not None and len(found.experts) == len(found.tokens) == MOST_HOSTED
    assert set(found.tokens.values()) == {2**40}


def test_each_peer_has_so_many_tokens_a_second_and_so_many_requests_at_a_time() -> None:
    clock = FakeClock()
    limits = HostLimits(tokens_per_second=10.0, burst_tokens=100.0, pending=3, pending_of_peer=2)
    quotas = Quotas(limits, clock)
    assert quotas.admit("greedy", 90) and not quotas.admit("greedy", 20) and quotas.admit("greedy", 10)
    assert not quotas.admit("greedy", 0)
    assert quotas.admit("modest", 10) and not quotas.admit("modest", 10)
    for peer in ("greedy", "greedy", "modest"):
        quotas.end(peer)
    assert not quotas.admit("greedy", 1)
    clock.now = 2.0
    assert quotas.admit("greedy", 20) and not quotas.admit("greedy", 1)
    assert not quotas.admit("huge", 101)


async def states_sent(server: ExpertServer, asker: str, pieces: int | None) -> None:
    """Ask for an expert's whole state, and hang up after so many messages."""
    context: Any = SimpleNamespace(remote_id=PeerID.from_base58(asker))
    replies = server.rpc_whole_state(request(CallHeader(1, 0)), context)
    async for _message in replies:
        if pieces is not None and (pieces := pieces - 1) == 0:
            break
    await replies.aclose()  # type: ignore[attr-defined]


def test_an_expert_is_handed_over_once_the_leader_of_the_run_was_sent_all_of_its_state() -> None:
    leader, stranger = Identity.create().peer_id, Identity.create().peer_id
    with ThreadPoolExecutor(1) as executor:
        server = ExpertServer(
            {}, executor, nobody, FREE_STATES, lambda _: (bytes(200_000), 7, b"signed"), leader.__eq__
        )
        asyncio.run(states_sent(server, stranger, None))
        asyncio.run(states_sent(server, leader, 2))
        assert server.handed_over == {}
        asyncio.run(states_sent(server, leader, None))
    assert server.handed_over == {ExpertId(1, 0): 7}


def test_states_are_sent_no_faster_than_their_share_of_a_line_that_is_known() -> None:
    peer = Identity.create().peer_id
    with ThreadPoolExecutor(1) as executor:
        server = ExpertServer({}, executor, nobody, HostLimits(), lambda _: (bytes(500_000), 7, b"signed"))
        server.know_upload(8e6)  # half of which is for states: a second, of which a quarter may come at once
        began = time.monotonic()
        asyncio.run(states_sent(server, peer, None))
        assert time.monotonic() - began > 0.6


def test_a_peer_has_each_experts_state_once_in_some_seconds() -> None:
    clock = FakeClock()
    quotas = Quotas(HostLimits(state_seconds=4.0), clock)
    asked = [("greedy", 1), ("greedy", 1), ("greedy", 2), ("modest", 1)]
    assert [quotas.admit_state(*each) for each in asked] == [True, False, True, True]
    clock.now = 3.9
    assert not quotas.admit_state("greedy", 1)
    clock.now = 4.0
    assert quotas.admit_state("greedy", 1)


class States:
    """The states of a host's experts, which are found as slowly as the test wants."""

    def __init__(self, size_bytes: int = 300_000) -> None:
        self.found, self.goes_on = list[ExpertId](), threading.Event()
        self._size_bytes = size_bytes

    def find(self, expert: ExpertId) -> tuple[bytes, int, bytes]:
        """That of an expert."""
        self.found.append(expert)
        assert self.goes_on.wait(LIMIT_SECONDS)
        return bytes(self._size_bytes), 7, b"signed"


async def streamed(server: ExpertServer, asker: Any, number: int) -> tuple[str, int]:
    """Why the state of the expert of that number is refused, and of how many messages it is else."""
    replies = server.rpc_whole_state(request(CallHeader(1, number)), asker)
    messages = [message async for message in replies]
    return reply_header(messages[0]).refusal, len(messages)


@pytest.mark.parametrize("numbers", [[0] * 5, [0, 1, 2, 3, 4]], ids=["of one expert", "of five"])
def test_of_the_states_that_one_peer_asks_for_together_one_or_two_are_found(numbers: list[int]) -> None:
    states, asker = States(), SimpleNamespace(remote_id=PeerID.from_base58(Identity.create().peer_id))

    async def asked(server: ExpertServer) -> list[tuple[str, int]]:
        calls = [asyncio.create_task(streamed(server, asker, number)) for number in numbers]
        await asyncio.sleep(0.1)
        states.goes_on.set()
        return await asyncio.gather(*calls)

    with ThreadPoolExecutor(1) as executor:
        server = ExpertServer({}, executor, nobody, HostLimits(), states.find)
        answers = asyncio.run(asked(server))
    assert 1 <= len(states.found) <= 2
    assert answers[:4] == [("busy", 1)] * 4


def test_nothing_is_kept_nor_sent_of_a_state_whose_place_is_taken_anew() -> None:
    states, asker = States(), SimpleNamespace(remote_id=PeerID.from_base58(Identity.create().peer_id))
    states.goes_on.set()

    async def asked(server: ExpertServer) -> tuple[int, int, int]:
        """How many messages the first stream still has, how many states are kept meanwhile, and of what the second."""
        server.know_upload(8e6)  # a state takes more than half a second
        first = server.rpc_whole_state(request(CallHeader(1, 0)), asker)
        await anext(first)
        second = server.rpc_whole_state(request(CallHeader(1, 1)), asker)
        await anext(second)
        kept = len(server._states)
        return len([message async for message in first]), kept, len([message async for message in second])

    with ThreadPoolExecutor(1) as executor:
        server = ExpertServer({}, executor, nobody, HostLimits(), states.find)
        assert asyncio.run(asked(server)) == (0, 1, 5)
    assert not server._states


async def refusals_of_all_calls(server: ExpertServer, sender: str) -> list[str]:
    """Why a probe, an expert's two passes, its weights and its state are refused to that peer, if they are."""
    context: Any = SimpleNamespace(remote_id=PeerID.from_base58(sender))
    header, tokens = CallHeader(1, 0, 0), torch.ones(1, HIDDEN)
    answers = [
        await server.rpc_forward(runtime_pb2.ExpertRequest(), context),
        await server.rpc_forward(request(header, tokens), context),
        await server.rpc_backward(request(header, tokens, tokens), context),
    ]
    for replies in (server.rpc_state(request(header), context), server.rpc_whole_state(request(header), context)):
        answers.append(await anext(replies))
    return [reply_header(each).refusal for each in answers]


def test_who_is_barred_from_the_run_is_refused_everything_and_nobody_else() -> None:
    barred, other = Identity.create().peer_id, Identity.create().peer_id
    expert = HostedExpert(ExpertId(1, 0), HIDDEN, ExpertsSpec())
    with ThreadPoolExecutor(1) as executor:
        server = ExpertServer({expert.id: expert}, executor, barred.__eq__, FREE_STATES, lambda _: (b"1", 0, b"2"))
        assert asyncio.run(refusals_of_all_calls(server, barred)) == ["not admitted"] * 5
        assert asyncio.run(refusals_of_all_calls(server, other)) == ["wrong", "", "", "", ""]
    assert expert.computed_tokens == 1


class SlowExpert(HostedExpert):
    """Computes as long as the test wants; ``began`` is released with each request that has begun."""

    def __init__(self) -> None:
        super().__init__(ExpertId(1, 0), HIDDEN, ExpertsSpec())
        self.began, self.goes_on = threading.Semaphore(0), threading.Event()

    def forward(self, tokens: torch.Tensor, seed: int | None) -> torch.Tensor:
        self.began.release()
        assert self.goes_on.wait(LIMIT_SECONDS)
        return super().forward(tokens, seed)


async def asked_and_hung_up(expert: SlowExpert, executor: ThreadPoolExecutor) -> list[str]:
    """What a host that answers two requests at a time says to the third and the fourth, of two that hang up."""
    server = ExpertServer({expert.id: expert}, executor, nobody, HostLimits(pending=2), lambda _: None)
    context: Any = SimpleNamespace(remote_id=PeerID.from_base58(Identity.create().peer_id))
    asked = request(CallHeader(1, 0, 0), torch.ones(1, HIDDEN))
    calls = [asyncio.create_task(server.rpc_forward(asked, context)) for _ in range(2)]
    assert await asyncio.to_thread(expert.began.acquire, timeout=LIMIT_SECONDS)
    for each in calls:
        each.cancel()
    await asyncio.wait(calls)
    third = asyncio.create_task(server.rpc_forward(asked, context))
    await asyncio.sleep(0)  # until it waits for the thread that computes
    fourth = await server.rpc_forward(asked, context)
    expert.goes_on.set()
    return [reply_header(each).refusal for each in (await third, fourth)]


def test_who_hangs_up_takes_back_what_has_not_begun_and_no_more() -> None:
    expert = SlowExpert()
    with ThreadPoolExecutor(1) as executor:
        assert asyncio.run(asked_and_hung_up(expert, executor)) == ["", "too many"]
