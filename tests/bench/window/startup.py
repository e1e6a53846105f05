"""How long it takes until there is something to see, ours and an empty window in turn."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median

from tests.bench.peers.peer_process import PeerProcess
from tests.bench.setup import Ground
from tests.bench.window.virtual_screen import Screen

DRAWN_SECONDS = 20.0
SETTLED_SECONDS = 0.7  # what a start puts off until after its first picture
_GONE_SECONDS = 10.0


@dataclass(frozen=True)
class Starts:
    """Seconds from the process's start to its first picture on the screen, each time."""

    ours: tuple[float, ...]
    empty: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """Ours, as it usually is."""
        return median(self.ours)

    @property
    def ratio(self) -> float:
        """Ours to an empty one's."""
        return median(self.ours) / median(self.empty)


def starts(screen: Screen, ground: Ground, times: int) -> Starts:
    """The first of each is not counted: it fills the caches of files."""
    seconds: dict[str, list[float]] = {"app": [], "tests.bench.window.empty_window": []}
    for number in range(times + 1):
        modules = list(seconds)
        for module in modules if number % 2 == 0 else modules[::-1]:
            seconds[module].append(_start(module, screen, ground))
    ours, empty = (tuple(each[1:]) for each in seconds.values())
    return Starts(ours, empty)


def _start(module: str, screen: Screen, ground: Ground) -> float:
    """Once; nothing is left of it."""
    screen.begin()
    with PeerProcess("window_start", module, [], ground.cores[0] | ground.cores[1], ground.folder) as process:
        drawn = screen.await_window(ground.limit(DRAWN_SECONDS))
        time.sleep(SETTLED_SECONDS)
        process.ask_to_leave()
        process.wait_until_gone(_GONE_SECONDS)
    while not screen.is_clear():  # what was below is drawn again
        time.sleep(ground.limit(0.01))
    return drawn - process.started
