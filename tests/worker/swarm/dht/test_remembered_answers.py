"""What peers have answered when a key was read is asked anew once the computer has slept."""

from __future__ import annotations

import pytest
from hivemind.p2p import PeerID

from core.uptime import seconds_since_start
from core.worker.swarm.dht.reader import AGAIN_SECONDS, OTHERS_AGAIN_SECONDS, _Remembered
from core.worker.swarm.patches import monotonic_clock

HOLDERS, ALSO_NEAR = [PeerID(b"one"), PeerID(b"two")], [PeerID(b"three")]


@pytest.mark.parametrize(
    ("slept", "due"),
    [(0.0, HOLDERS[:1]), (AGAIN_SECONDS, HOLDERS), (OTHERS_AGAIN_SECONDS, ALSO_NEAR + HOLDERS)],
)
def test_after_a_sleep_of_the_computer_all_are_asked_anew(
    monkeypatch: pytest.MonkeyPatch, slept: float, due: list[PeerID]
) -> None:
    elapsed, known = seconds_since_start(), _Remembered()
    monkeypatch.setattr(monotonic_clock, "seconds_since_start", lambda: elapsed)
    for peer in HOLDERS + ALSO_NEAR:
        known.note(peer, [])
    monkeypatch.setattr(monotonic_clock, "seconds_since_start", lambda: elapsed + slept)
    assert known.due(HOLDERS, ALSO_NEAR) == due
