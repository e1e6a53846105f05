"""Who averages with whom: nobody with what another has left over from an earlier epoch."""

from __future__ import annotations

import pytest
from hivemind.utils import MSGPackSerializer

from core.worker.swarm.patches.matchmaking import epoch_of
from tests.support.real_peers import Crew


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("in_client_mode", ["ahead", "behind"])
def test_a_round_that_was_left_over_gives_way_to_the_next_one(hands: Crew, in_client_mode: str) -> None:
    said = hands.script("rounds", "tests.support.peers.stale_round_peers", in_client_mode)
    assert said.until(lambda each: "leftover" in each)["leftover"] == "StaleRoundError"
    assert said.until(lambda each: "current" in each) == {"current": 2, "following": 2}
    assert said.until(lambda each: "is_taken_back" in each)["is_taken_back"]


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
