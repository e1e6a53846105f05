"""The longest time that the window does not answer, in a large swarm and with a day behind it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from core.protocol.commands import REPORT_SECONDS
from core.records.settings import Settings
from tests.bench.setup import Ground
from tests.bench.window.event_loop_stalls import Block
from tests.bench.window.history_fixture import write_past
from tests.bench.window.process import WindowProcess, fake_worker, settle_home
from tests.bench.window.simulated_worker import ADDRESS
from tests.bench.window.virtual_screen import Screen

PEERS = 1000
PERIODS = ("5min", "30min", "6h", "24h", "all")
_BETWEEN_SECONDS = 0.4
_OPENING_SECONDS = 4.0


@dataclass(frozen=True)
class Blocked:
    """The longest block in each stretch of a stay; ``worst`` names the deed of the last one."""

    opening: Block
    living: Block
    handling: Block
    worst: str


def blocked(screen: Screen, ground: Ground, seconds: float) -> Blocked:
    """A thousand peers, as wide as the screen and as small as it opens, every period, order and tab."""
    name = "window_block"
    folders = settle_home(ground, name, Settings(device="cpu", language="en", theme="light", graph_period="24h"))
    write_past(folders)
    with WindowProcess(name, screen, ground, fake_worker(str(REPORT_SECONDS), str(PEERS))) as window:
        window.join(ADDRESS)
        window.ask("watch")
        window.ask("start")
        time.sleep(ground.limit(_OPENING_SECONDS))
        opening = _taken(window)
        living = max((_lived(window, ground, seconds / 2, place) for place in ("0", "1")), key=_length)
        measured = [(_done(window, ground, deed), " ".join(deed)) for deed in _handling()]
        window.quit()
    handling, worst = max(measured, key=lambda each: _length(each[0]))
    return Blocked(opening, living, handling, worst)


def _lived(window: WindowProcess, ground: Ground, seconds: float, place: str) -> Block:
    """Nobody touches anything; the graphs are seen at the top of the page, the peers at its end."""
    window.ask("scroll", place)
    time.sleep(ground.limit(_BETWEEN_SECONDS))
    _taken(window)
    time.sleep(ground.limit(seconds))
    return _taken(window)


def _handling() -> Iterator[tuple[str, ...]]:
    """What a person may do."""
    for width, height in (("1900", "1000"), ("980", "720")):
        yield "size", width, height
        for period in PERIODS:
            yield "period", period
        for share in ("0", "0.5", "1"):
            yield "scroll", share
        for column in ("0", "1", "2", "3", "3"):
            yield "sort", column
        for tab in ("1", "0"):
            yield "tab", tab
    yield ("close",)
    yield ("come",)


def _done(window: WindowProcess, ground: Ground, deed: tuple[str, ...]) -> Block:
    window.ask(*deed)
    time.sleep(ground.limit(_BETWEEN_SECONDS))
    return _taken(window)


def _taken(window: WindowProcess) -> Block:
    return Block(**window.ask("watch"))


def _length(block: Block) -> float:
    return block.seconds
