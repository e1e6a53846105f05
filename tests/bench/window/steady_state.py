"""What the window takes while it shows a run in full swing: memory for ten minutes' events, and a core."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from core.availability.rules import AvailabilityRules
from core.protocol.commands import REPORT_SECONDS
from core.protocol.events import Progress
from core.records.settings import Settings
from tests.bench.ruled_desktop import DEVICE, every_rule, ruled_desktop
from tests.bench.setup import Ground, NotMeasured, TooLate
from tests.bench.window.history_fixture import write_past
from tests.bench.window.process import Use, WindowProcess, fake_worker, settle_home
from tests.bench.window.simulated_worker import ADDRESS, REPORTS_AN_EPOCH, reports_until
from tests.bench.window.virtual_screen import Screen

TEN_MINUTES_REPORTS = round(600 / REPORT_SECONDS)
PEERS = 12
SETTLING_SECONDS = 5.0
_EPOCH_SECONDS = REPORTS_AN_EPOCH * REPORT_SECONDS
_LOOK_SECONDS = 0.5
_NO_RULES = AvailabilityRules()
_LOOKS = 7  # the figure of a half is the median of its last ones


@dataclass(frozen=True)
class Memory:
    """After all of the events; ``growth_bytes`` is what their second half has added of its own."""

    bytes: int
    growth_bytes: int
    times_faster: float


@dataclass(frozen=True)
class Cpu:
    """Shares of one core; ``is_in_tray`` tells whether the hidden window had an icon to keep right."""

    visible: float
    hidden: float
    is_in_tray: bool


@dataclass(frozen=True)
class RulesCost:
    """What the window takes while it is hidden and follows every rule: a share of one core, and memory."""

    hidden: float
    memory_bytes: int


def memory(screen: Screen, ground: Ground, times_faster: float) -> Memory:
    """On the third page, with a day of history, in a run whose events come so many times faster."""
    pace = REPORT_SECONDS / times_faster
    with _training("window_memory", screen, ground, pace) as window:
        looks: list[tuple[int, Use]] = []
        limit = time.monotonic() + ground.limit(3 * TEN_MINUTES_REPORTS * pace)
        while not looks or looks[-1][0] < TEN_MINUTES_REPORTS:
            if time.monotonic() > limit:
                raise TooLate("the events did not come in time")
            time.sleep(_LOOK_SECONDS)
            looks.append((_reports(window), window.use()))
        window.quit()
    return memory_of(looks, times_faster)


def memory_of(looks: Sequence[tuple[int, Use]], times_faster: float) -> Memory:
    """From how many reports there had been and how much memory was taken, each time that somebody looked."""
    half = [use.anonymous_bytes for reports, use in looks if reports <= TEN_MINUTES_REPORTS // 2]
    end = [use for _, use in looks[-_LOOKS:]]
    if not half:
        raise NotMeasured("the events came too fast")
    growth = median(use.anonymous_bytes for use in end) - median(half[-_LOOKS:])
    return Memory(round(median(use.memory_bytes for use in end)), round(growth), times_faster)


def cpu(screen: Screen, ground: Ground, seconds: float) -> Cpu:
    """Events at their real pace; the window as it opens, and then only in the tray."""
    with _training("window_cpu", screen, ground, REPORT_SECONDS) as window:
        window.ask("hush")
        time.sleep(ground.limit(_EPOCH_SECONDS))  # by then, each picture of the tray's has been painted
        visible = _share(window, ground, seconds)
        if screen.has_panel:
            window.until(lambda state: bool(state["has_icon"]), ground.limit(SETTLING_SECONDS))
        window.ask("close")
        window.until(lambda state: not state["is_seen"], ground.limit(SETTLING_SECONDS))
        hidden = _share(window, ground, seconds)
        is_in_tray = bool(window.ask("state")["has_icon"])
        window.quit()
    return Cpu(visible, hidden, is_in_tray)


def rules_cost(screen: Screen, ground: Ground, seconds: float) -> RulesCost:
    """Events at their real pace, and every rule looked for, none of which asks for a pause."""
    with ruled_desktop(ground.folder):
        window = _training("window_rules", screen, ground, REPORT_SECONDS, every_rule(ground.folder), device=DEVICE)
        with window:
            window.ask("hush")
            time.sleep(ground.limit(_EPOCH_SECONDS))
            window.ask("close")
            window.until(lambda state: not state["is_seen"], ground.limit(SETTLING_SECONDS))
            hidden = _share(window, ground, seconds)
            taken = window.use().memory_bytes
            blind = window.ask("unseen")["rules"]
            window.quit()
    if blind:
        raise NotMeasured(f"rules that saw nothing, or asked for a pause: {', '.join(blind)}")
    return RulesCost(hidden, taken)


def _training(
    name: str,
    screen: Screen,
    ground: Ground,
    pace: float,
    rules: AvailabilityRules = _NO_RULES,
    *,
    device: str = "cpu",
) -> WindowProcess:
    """A window that trains in a run of its own imagination, and has a day behind it."""
    settings = Settings(device=device, language="en", theme="light", availability=rules)
    folders = settle_home(ground, name, settings)
    write_past(folders)
    window = WindowProcess(name, screen, ground, fake_worker(str(pace), str(PEERS)))
    try:
        window.train(ADDRESS)
    except BaseException:
        window.kill()
        raise
    return window


def _share(window: WindowProcess, ground: Ground, seconds: float) -> float:
    time.sleep(ground.limit(SETTLING_SECONDS))
    begin, before = time.monotonic(), window.use().cpu_seconds
    time.sleep(ground.limit(seconds))
    return (window.use().cpu_seconds - before) / (time.monotonic() - begin)


def _reports(window: WindowProcess) -> int:
    return max((reports_until(each.event) for each in window.seen() if isinstance(each.event, Progress)), default=0)
