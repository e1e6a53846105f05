"""How soon `workerbee fleet` shows a thousand peers, and what it takes to watch them at a terminal."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.bench.fleet.page_use import PageUse, page_use
from tests.bench.fleet.simulated_observer import FIRST_LOSS
from tests.bench.fleet.steering import Steered, steered, steering_row
from tests.bench.setup import Ground
from tests.bench.table import NO_FIGURE, Row, own_row
from tests.bench.window.process import cpu_seconds
from tests.bench.window.simulated_worker import ADDRESS
from tests.core.cli.terminal import Terminal

PEERS = 1000
SETTLED_LOOKS = 5
LAST_CHARACTERS = 20_000  # of what a terminal has shown: some pictures
MAX_PAGE_SHARE, MAX_STALL_SECONDS = 0.05, 0.1
MAX_FIRST_SECONDS, MAX_SHARE, MAX_MIB = 3.0, 0.03, 60.0


@dataclass(frozen=True)
class Watching:
    """Seconds to the first picture, the share of a core afterwards, and the peak of the process's memory."""

    first_seconds: float
    core_share: float
    peak_bytes: int


@dataclass
class FleetMeasured:
    """``None`` where it was not measured."""

    watching: Watching | None = None
    page: PageUse | None = None
    steered: Steered | None = None


def fleet_deeds(ground: Ground, looks: int, measured: FleetMeasured) -> dict[str, Callable[[], object]]:
    """What is to be done; it gives the figures, and notes them down."""

    def watch() -> Watching:
        measured.watching = watching(ground.folder, looks)
        return measured.watching

    def show() -> PageUse:
        measured.page = page_use(ground.folder, looks, PEERS)
        return measured.page

    return {"fleet": watch, "organise": show}


def steering_deeds(ground: Ground, measured: FleetMeasured) -> dict[str, Callable[[], object]]:
    """The same of the orders that volunteers obey."""

    def steer() -> Steered:
        measured.steered = steered(ground.folder)
        return measured.steered

    return {"steering": steer}


def watching(folder: Path, looks: int) -> Watching:
    """Watch for so many looks, one a second, with log and page; the worker is another process and not counted."""
    worker = [sys.executable, "-m", "tests.bench.fleet.simulated_observer", str(PEERS)]
    words = ["fleet", ADDRESS, "--log", str(folder / "fleet.log"), "--page", str(folder / "fleet-page")]
    started = time.monotonic()
    terminal = Terminal(folder, words, worker)
    try:
        terminal.wait_for(f"{PEERS:,} (")
        first = time.monotonic() - started
        terminal.wait_until(lambda shown: _look_in(shown) >= SETTLED_LOOKS)
        began, before = time.monotonic(), cpu_seconds(terminal.process.pid)
        terminal.wait_until(lambda shown: _look_in(shown) >= SETTLED_LOOKS + looks)
        share = (cpu_seconds(terminal.process.pid) - before) / (time.monotonic() - began)
        peak = _peak_bytes(terminal.process.pid)
        terminal.type("q")
        terminal.end()
    finally:
        terminal.close()
    return Watching(first, share, peak)


def fleet_rows(measured: FleetMeasured) -> Mapping[str, Callable[[], list[Row]]]:
    """How the rows of the fleet are made."""
    return {
        "fleet": lambda: [_row(measured.watching), _page_row(measured.page)],
        "steering": lambda: [steering_row(measured.steered)],
    }


def _row(seen: Watching | None) -> Row:
    what = f"`workerbee fleet` with {PEERS:,} peers: first picture / share of a core at one look a second / peak memory"
    must = f"≤ {MAX_FIRST_SECONDS:.0f} s / ≤ {MAX_SHARE:.0%} / ≤ {MAX_MIB:.0f} MiB"
    if seen is None:
        return own_row(what, NO_FIGURE, must, None)
    mib = seen.peak_bytes / 2**20
    is_reached = seen.first_seconds <= MAX_FIRST_SECONDS and seen.core_share <= MAX_SHARE and mib <= MAX_MIB
    ours = f"{seen.first_seconds:.2f} s / {seen.core_share:.1%} / {mib:.0f} MiB"
    return own_row(what, ours, must, is_reached)


def _page_row(seen: PageUse | None) -> Row:
    what = f"the window's *Organise* with {PEERS:,} peers: share of a core at one look a second / longest stall"
    must = f"≤ {MAX_PAGE_SHARE:.0%} / ≤ {MAX_STALL_SECONDS * 1000:.0f} ms"
    if seen is None:
        return own_row(what, NO_FIGURE, must, None)
    ours = (
        f"{seen.core_share:.1%} / {seen.stall_seconds * 1000:.0f} ms ({seen.stall_cpu_seconds * 1000:.0f} ms computing)"
    )
    return own_row(what, ours, must, seen.core_share <= MAX_PAGE_SHARE and seen.stall_seconds <= MAX_STALL_SECONDS)


def _look_in(shown: str) -> int:
    """The last look that was drawn, whose number is its loss; some are never drawn, on a busy computer."""
    drawn = re.findall(r"(?<![0-9,])1,[0-9]{3}", shown[-LAST_CHARACTERS:])
    looks = [int(each.replace(",", "")) - FIRST_LOSS for each in drawn]
    return max(looks, default=0)


def _peak_bytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024
