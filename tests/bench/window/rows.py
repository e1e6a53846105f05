"""From the window's figures to its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.bench.table import NO_FIGURE, Row, own_row
from tests.bench.window.event_loop_stalls import Block
from tests.bench.window.measure import WindowMeasured
from tests.bench.window.pause import Pausing
from tests.bench.window.responsiveness import Blocked
from tests.bench.window.startup import Starts
from tests.bench.window.steady_state import Cpu, Memory, RulesCost

MAX_START_SECONDS = 0.6
MAX_START_RATIO = 2.0
MAX_MEMORY_MIB = 90.0
MAX_WAYLAND_MEMORY_MIB = 95.0
MAX_GROWTH_MIB = 1.0  # less is what a page or two of the allocator's does
MAX_VISIBLE_SHARE = 0.03
MAX_HIDDEN_SHARE = 0.003
MAX_BLOCK_SECONDS = 0.050
MAX_COMPUTING_SECONDS = 1.0
MAX_GONE_SECONDS = 3.0
MAX_SEEING_SECONDS = 2.0  # until the start of a program is seen
MAX_RULED_MEMORY_MIB = 95.0
MAX_LOGIN_SECONDS = 20.0
_MIB = 2**20


def window_rows(measured: WindowMeasured) -> Mapping[str, Callable[[], list[Row]]]:
    """How each row of the window is made."""
    return {
        "window_start": lambda: [_start("window", measured.starts, MAX_START_RATIO)],
        "window_memory": lambda: [_memory("window", measured.memory, MAX_MEMORY_MIB)],
        "window_cpu": lambda: [_cpu(measured.cpu)],
        "window_block": lambda: [_block(measured.blocked)],
        "window_rules": lambda: [_rules(measured.rules)],
        "window_pause": lambda: _pause(measured.pausings),
        "window_login": lambda: [_login(measured.login_seconds)],
        "wayland_start": lambda: [_start("window on Wayland", measured.wayland_starts)],
        "wayland_memory": lambda: [_memory("window on Wayland", measured.wayland_memory, MAX_WAYLAND_MEMORY_MIB)],
    }


def _start(where: str, starts: Starts | None, max_ratio: float | None = None) -> Row:
    what = f"{where}: start → first picture on the screen (÷ an empty PySide6 window's)"
    must = f"≤ {MAX_START_SECONDS} s" + (f", ≤ {max_ratio:.0f}×" if max_ratio else "")
    if starts is None:
        return own_row(what, NO_FIGURE, must, None)
    ours = f"{starts.seconds:.2f} s ({starts.ratio:.1f}×)"
    return own_row(
        what, ours, must, starts.seconds <= MAX_START_SECONDS and (not max_ratio or starts.ratio <= max_ratio)
    )


def _memory(where: str, memory: Memory | None, max_mib: float) -> Row:
    must = f"≤ {max_mib:.0f} MiB, not growing"
    if memory is None:
        return own_row(f"{where}: memory (PSS) after ten minutes of events", NO_FIGURE, must, None)
    what = (
        f"{where}: memory (PSS) after ten minutes of events (growth in the second half), "
        f"which came {memory.times_faster:.0f} times faster"
    )
    mib, growth = memory.bytes / _MIB, memory.growth_bytes / _MIB
    ours = f"{mib:.0f} MiB ({growth:+.1f})"
    return own_row(what, ours, must, mib <= max_mib and growth <= MAX_GROWTH_MIB)


def _cpu(cpu: Cpu | None) -> Row:
    place = "in the tray" if cpu is None or cpu.is_in_tray else "minimised: no tray here"
    what = f"window: share of a core, visible with live graphs / hidden ({place})"
    must = f"≤ {MAX_VISIBLE_SHARE:.0%} / {MAX_HIDDEN_SHARE:.1%}"
    if cpu is None:
        return own_row(what, NO_FIGURE, must, None)
    is_reached = cpu.visible <= MAX_VISIBLE_SHARE and cpu.hidden <= MAX_HIDDEN_SHARE
    return own_row(what, f"{cpu.visible:.1%} / {cpu.hidden:.2%}", must, is_reached)


def _block(blocked: Blocked | None) -> Row:
    what = "window: longest block with 1,000 peers and a day of history: opening the page / living / handling"
    must = f"≤ {MAX_BLOCK_SECONDS * 1000:.0f} ms"
    if blocked is None:
        return own_row(what, NO_FIGURE, must, None)
    blocks = (blocked.opening, blocked.living, blocked.handling)
    ours = f"{' / '.join(map(_milliseconds, blocks))} ms ({blocked.worst})"
    return own_row(what, ours, must, all(block.seconds <= MAX_BLOCK_SECONDS for block in blocks))


def _pause(pausings: list[Pausing]) -> list[Row]:
    own = [each for each in pausings if each.by != "rule"]
    ruled = [each for each in pausings if each.by == "rule"]
    return [
        computing_row("window: Pause clicked", [each for each in own if each.by == "click"]),
        computing_row("window: `workerbee pause` started", [each for each in own if each.by == "command"]),
        gone_row("window: paused", own),
        computing_row("window: a program started that a rule names", ruled, MAX_SEEING_SECONDS),
        gone_row("window: that program started", ruled, MAX_SEEING_SECONDS),
    ]


def _login(seconds: list[float]) -> Row:
    worst = max(seconds, default=None)
    return own_row(
        f"window: reboot (session restart) → contributing again, without a click; the longest of {len(seconds)}",
        _seconds(worst),
        f"≤ {MAX_LOGIN_SECONDS:.0f} s",
        None if worst is None else worst <= MAX_LOGIN_SECONDS,
    )


def computing_row(what: str, pausings: list[Pausing], seeing_seconds: float = 0.0) -> Row:
    """The slowest to compute no more, after that; ``seeing_seconds`` may pass until it is seen."""
    most = MAX_COMPUTING_SECONDS + seeing_seconds
    computing = max((each.last_sample_seconds for each in pausings), default=None)
    batch = max((each.micro_batch_seconds for each in pausings), default=0.0)
    is_idle = all(each.last_sample_seconds <= most + each.micro_batch_seconds for each in pausings)
    return own_row(
        f"{what} → no more computing",
        _seconds(computing),
        f"≤ {most:.0f} s + a micro-batch ({batch:.2f} s)",
        is_idle if pausings else None,
    )


def gone_row(what: str, pausings: list[Pausing], seeing_seconds: float = 0.0) -> Row:
    """The slowest whose worker was gone, after that; ``seeing_seconds`` may pass until it is seen."""
    most = MAX_GONE_SECONDS + seeing_seconds
    gone = max((each.gone_seconds for each in pausings), default=None)
    return own_row(
        f"{what} → the worker gone, and its memory free",
        _seconds(gone),
        f"≤ {most:.0f} s",
        None if gone is None else gone <= most,
    )


def _rules(cost: RulesCost | None) -> Row:
    what = (
        "window: every rule of the owner's on, each with what it sees (D-Bus, NVML), hidden: share of a core / memory"
    )
    must = f"≤ {MAX_HIDDEN_SHARE:.1%} / ≤ {MAX_RULED_MEMORY_MIB:.0f} MiB"
    if cost is None:
        return own_row(what, NO_FIGURE, must, None)
    mib = cost.memory_bytes / _MIB
    is_reached = cost.hidden <= MAX_HIDDEN_SHARE and mib <= MAX_RULED_MEMORY_MIB
    return own_row(what, f"{cost.hidden:.2%} / {mib:.0f} MiB", must, is_reached)


def _milliseconds(block: Block) -> str:
    return f"{block.seconds * 1000:.0f}"


def _seconds(value: float | None) -> str:
    return NO_FIGURE if value is None else f"{value:.2f} s"
