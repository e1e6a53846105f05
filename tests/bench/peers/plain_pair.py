"""How fast two plain loops are that run at the same time, on the same cores as the peers."""

from __future__ import annotations

import time

from core.protocol.events import Progress
from tests.bench.peers.metrics import Track, samples_per_second
from tests.bench.peers.peer_process import PeerProcess
from tests.bench.setup import Ground

START_SECONDS = 60.0
WARM_UP_SECONDS = 1.0


def plain_samples_per_second(ground: Ground, seconds: float) -> float:
    """Both together, over that many seconds in which both ran."""
    words = [str(ground.run_file), str(ground.threads)]
    module = "tests.bench.peers.plain_loop"
    with (
        PeerProcess("plain-1", module, words, ground.cores[0], ground.folder) as one,
        PeerProcess("plain-2", module, words, ground.cores[1], ground.folder) as other,
    ):
        for peer in (one, other):
            peer.wait_for(lambda event: isinstance(event, Progress), ground.limit(START_SECONDS))
        began = time.monotonic() + WARM_UP_SECONDS
        time.sleep(ground.limit(WARM_UP_SECONDS + seconds))
        tracks = [Track(peer.seen()) for peer in (one, other)]
    return sum(samples_per_second(track, began, began + seconds) for track in tracks)
