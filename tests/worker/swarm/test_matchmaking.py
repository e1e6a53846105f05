"""Who averages with whom: nobody with what another has left over from an earlier epoch."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.patches import matchmaking
from core.worker.swarm.patches.matchmaking import CheckedKeyManager, epoch_of
from tests.support.real_peers import PeerGroup
from tests.worker.swarm.poisoned_group_peers import ROUNDS

SEARCH_SECONDS = 3.0  # between two searches; a busy computer stands still for less than half of it


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("in_client_mode", ["ahead", "behind"])
def test_a_round_that_was_left_over_gives_way_to_the_next_one(group: PeerGroup, in_client_mode: str) -> None:
    said = group.script("rounds", "tests.support.peers.stale_round_peers", in_client_mode)
    assert said.until(lambda each: "leftover" in each)["leftover"] == "StaleRoundError"
    assert said.until(lambda each: "current" in each) == {"current": 2, "following": 2}
    assert said.until(lambda each: "missed" in each) == {"missed": "StaleRoundError", "looks_left": 1}
    assert said.until(lambda each: "is_taken_back" in each)["is_taken_back"]


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("stranger", ["names", "leader", "redirects", "asker", "plain", "erases"])
def test_three_peers_meet_whatever_a_stranger_does_at_their_meeting_place(group: PeerGroup, stranger: str) -> None:
    said = group.script("rounds", "tests.worker.swarm.poisoned_group_peers", stranger)
    for seen in range(ROUNDS):  # one may be lost to a stranger, or to a computer that does much else
        outcomes = said.until(lambda each: "outcomes" in each, since=seen)["outcomes"]
        assert "StaleRoundError" not in outcomes, "it was ended by a stranger's word"
        if outcomes == [3, 3, 3]:
            return
    pytest.fail("the three have not met")


def told(said: bytes) -> bytes:
    """As hivemind tells a group of a peer: its bandwidth, its mode and what it says itself."""
    return bytes(MSGPackSerializer.dumps([None, 0, said]))


@pytest.mark.parametrize(
    ("gathered", "epoch"),
    [
        (told(MSGPackSerializer.dumps(7)), 7),
        (told(MSGPackSerializer.dumps(None)), None),
        (told(MSGPackSerializer.dumps("7")), None),
        (told(b"\xc1"), None),
        (MSGPackSerializer.dumps(7), None),
        (b"", None),
    ],
)
def test_what_others_say_of_their_epoch_is_a_number_or_nothing(gathered: bytes, epoch: int | None) -> None:
    assert epoch_of(gathered) == epoch


class EmptyDHT:
    """A DHT that holds nothing and answers at once."""

    peer_id = None

    async def get(self, _key: str, **_options: Any) -> None:
        """Nothing."""


def test_groupmates_are_asked_for_only_so_often_and_the_first_time_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matchmaking, "SEARCH_SECONDS", SEARCH_SECONDS)
    manager = CheckedKeyManager(EmptyDHT(), "sums_grad_averager", "", None)

    async def seconds_to_ask() -> float:
        started = time.monotonic()
        assert await manager.get_averagers(manager.current_key, only_active=True) == []
        return time.monotonic() - started

    first, second = asyncio.run(seconds_to_ask()), asyncio.run(seconds_to_ask())
    assert first < SEARCH_SECONDS / 2
    assert second > SEARCH_SECONDS / 2
