"""Who averages for a group and answers nothing is waited for only a little longer than everybody else takes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import pytest
from hivemind.p2p import PeerID

from core.worker.swarm.aggregation.silent_reducers import AnswerDeadlines

OWN, OTHER, SILENT, FOURTH = (PeerID(b"\x12\x20" + bytes([each]) * 32) for each in range(4))
PART_SECONDS, LONG = 0.02, 3600.0

Answer = Callable[[], Awaitable[object]]


async def at_once() -> None:
    """An answer that is there."""


async def never() -> None:
    """No answer."""
    await asyncio.Event().wait()


async def exchange(deadlines: AnswerDeadlines, peer: PeerID, answer: Answer) -> None:
    """What a runner does with each reducer of its group."""
    async with deadlines.of(peer):
        await answer()


async def exchange_with(deadlines: AnswerDeadlines, **answers: Answer) -> list[BaseException | None]:
    """Exchange with `OWN`, `OTHER` and `SILENT` as far as they are given; what each has failed with."""
    peers = {"own": OWN, "other": OTHER, "silent": SILENT}
    exchanges = (exchange(deadlines, peers[name], answer) for name, answer in answers.items())
    return await asyncio.gather(*exchanges, return_exceptions=True)


def test_the_rest_are_given_up_once_half_of_the_reducers_have_answered() -> None:
    doubted = dict[PeerID, None]()
    deadlines = AnswerDeadlines(2, PART_SECONDS, doubted)
    failed = asyncio.run(exchange_with(deadlines, own=at_once, silent=never))
    assert failed[0] is None
    assert isinstance(failed[1], TimeoutError)
    assert (deadlines.unreached, {*doubted}) == (set(), {SILENT})


def test_who_is_silent_again_is_named_and_an_answer_ends_the_doubt() -> None:
    doubted: dict[PeerID, None] = {SILENT: None}
    again = AnswerDeadlines(2, PART_SECONDS, doubted)
    asyncio.run(exchange_with(again, own=at_once, silent=never))
    assert again.unreached == doubted.keys() == {SILENT}
    asyncio.run(exchange_with(AnswerDeadlines(2, LONG, doubted), own=at_once, silent=at_once))
    assert not doubted


def test_while_most_have_not_answered_there_is_no_deadline() -> None:
    async def wait_for_two() -> bool:
        """Whether two of three are still waited for, once many times the time of a part is over."""
        waiting = asyncio.create_task(exchange_with(deadlines, own=at_once, other=never, silent=never))
        _, pending = await asyncio.wait({waiting}, timeout=20 * PART_SECONDS)
        waiting.cancel()
        return bool(pending)

    deadlines = AnswerDeadlines(3, PART_SECONDS, {})
    assert asyncio.run(wait_for_two())


def test_whoever_sends_part_after_part_has_time_for_each() -> None:
    async def send_parts() -> None:
        """Twenty parts, each as late as may be, which are far more than the time of one together."""
        for _ in range(20):
            await asyncio.sleep(0.05)
            deadlines.part_came(OTHER)

    deadlines = AnswerDeadlines(2, 0.5, {})
    assert asyncio.run(exchange_with(deadlines, own=at_once, other=send_parts)) == [None, None]


async def given_up(deadlines: AnswerDeadlines, once_answered: Callable[[], None] = lambda: None) -> list[PeerID]:
    """`OTHER` and `SILENT`, who never answer, in the order in which they are given up once two others have answered."""
    ended = list[PeerID]()

    async def end(peer: PeerID) -> None:
        with pytest.raises(TimeoutError):
            await exchange(deadlines, peer, never)
        ended.append(peer)

    answered = asyncio.gather(*(exchange(deadlines, peer, at_once) for peer in (OWN, FOURTH)))
    waiting = asyncio.gather(end(OTHER), end(SILENT), answered)
    await answered
    once_answered()
    await waiting
    return ended


@pytest.mark.parametrize("doubted", [SILENT, OTHER])
def test_who_was_silent_before_is_given_up_first(doubted: PeerID) -> None:
    first, _ = asyncio.run(given_up(AnswerDeadlines(4, 0.5, {doubted: None})))
    assert first == doubted


@pytest.mark.parametrize("fails_first", [True, False])
def test_whose_own_parts_cannot_be_used_is_given_up_before_others_and_not_named(fails_first: bool) -> None:
    deadlines = AnswerDeadlines(4, 0.5, {})
    fail = partial(deadlines.sender_failed, SILENT)
    if fails_first:
        fail()
    ended = asyncio.run(given_up(deadlines) if fails_first else given_up(deadlines, fail))
    assert (ended, deadlines.unreached) == ([SILENT, OTHER], set())


def test_unusable_parts_of_its_own_give_no_reducer_more_time() -> None:
    async def send_unusable_parts() -> None:
        """Far more often than there is time for an answer."""
        while True:
            deadlines.sender_failed(SILENT)
            await asyncio.sleep(0.001)

    deadlines = AnswerDeadlines(2, 2.0, {})
    exchanges = exchange_with(deadlines, own=at_once, silent=send_unusable_parts)
    _, given_up = asyncio.run(asyncio.wait_for(exchanges, 30))
    assert isinstance(given_up, TimeoutError)
