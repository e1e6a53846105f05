"""From figures to the table's rows: what must be reached, and whether it was."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median

from tests.bench.crowd.crowd import crowd_rows
from tests.bench.defences.defences_cost import defences_rows
from tests.bench.experts.cut import cut_host_rows
from tests.bench.experts.kill import killed_host_rows
from tests.bench.experts.memory import host_memory_row
from tests.bench.experts.rows import experts_rows
from tests.bench.fleet.watching import fleet_rows
from tests.bench.gpu_pacing import gpu_pacing_rows
from tests.bench.gpu_yield import gpu_yield_rows
from tests.bench.liars.gradient_liars import gradient_liars_row
from tests.bench.local_sgd.rows import local_sgd_rows
from tests.bench.measure import Measured
from tests.bench.peers.confinement_cost import confinement_rows
from tests.bench.peers.fault_rows import fault_rows
from tests.bench.peers.home_lines import home_line_rows, line_codec_rows
from tests.bench.peers.pair import Kind
from tests.bench.table import NO_FIGURE, Row
from tests.bench.upload_limit import upload_limit_rows
from tests.bench.window.rows import window_rows

MIN_SHARE = 0.90
MAX_STALL_SECONDS = 0.2
MAX_JOIN_RATIO = 1.2
MAX_COMPUTING_SECONDS = 1.0
MAX_GONE_SECONDS = 5.0
MAX_OTHERS_STALL_SECONDS = 1.0
MAX_CLIENT_MIB = 60.0


def rows_of(names: Sequence[str], measured: Measured, micro_batch_seconds: float) -> list[Row]:
    """The rows of those names, in the table's order."""
    makers: dict[str, Callable[[], list[Row]]] = {
        "contributed": lambda: [_contributed(measured)],
        "standstill": lambda: [_standstill(measured)],
        "join": lambda: [_join(measured)],
        "leave": lambda: _leave(measured, micro_batch_seconds),
        "others": lambda: [_others(measured)],
        "memory": lambda: [_memory(measured)],
        **fault_rows(measured.faults),
        "confinement": lambda: confinement_rows(measured.confinement),
        "defences": lambda: defences_rows(measured.defences),
        "home_line": lambda: home_line_rows(measured.home_lines),
        "line_codecs": lambda: line_codec_rows(measured.home_lines),
        "upload_limit": lambda: upload_limit_rows(measured.upload_limit),
        "gpu_pacing": lambda: gpu_pacing_rows(measured.gpu_pacing),
        "gpu_yield": lambda: gpu_yield_rows(measured.gpu_yield),
        "crowd": lambda: crowd_rows(measured.crowds),
        "gradient_liars": lambda: [gradient_liars_row(measured.gradient_liars)],
        "experts": lambda: experts_rows(measured.experts),
        "experts_kill": lambda: killed_host_rows(measured.experts),
        "experts_cut": lambda: cut_host_rows(measured.experts),
        "experts_memory": lambda: [host_memory_row(measured.experts)],
        **local_sgd_rows(measured.local_sgd),
        **fleet_rows(measured.fleet),
        **window_rows(measured.window),
    }
    return [row for name, make in makers.items() if name in names for row in make()]


def _contributed(measured: Measured) -> Row:
    shares = {kind: median(values) if values else None for kind, values in measured.shares.items()}
    ours = shares["workerbee"]
    return Row(
        "samples/s that two peers contribute ÷ two plain loops",
        _figure(ours, "{:.2f}"),
        _figure(shares["default"], "{:.2f}"),
        _figure(shares["overlap"], "{:.2f}"),
        f"≥ {MIN_SHARE:.2f}",
        None if ours is None else ours >= MIN_SHARE,
    )


def _standstill(measured: Measured) -> Row:
    def worst(kind: Kind) -> float | None:
        return max((each.stall_seconds for each in measured.trainings[kind]), default=None)

    epochs = sum(each.epochs for each in measured.trainings["workerbee"])
    ours = worst("workerbee")
    return Row(
        f"longest time that the training loop stands still, in {epochs} epochs",
        _seconds(ours),
        _seconds(worst("default")),
        _seconds(worst("overlap")),
        f"≤ {MAX_STALL_SECONDS} s",
        None if ours is None else ours <= MAX_STALL_SECONDS,
    )


def _join(measured: Measured) -> Row:
    ours = median([each.seconds for each in measured.joinings_ours] or [0.0])
    bare = median([each.seconds for each in measured.joinings_bare] or [0.0])
    ratio = ours / bare if ours and bare else None
    return Row(
        "join → first contributed sample ÷ the bare script's",
        NO_FIGURE if ratio is None else f"{ratio:.2f} ({ours:.1f} s)",
        _seconds(bare or None),
        NO_FIGURE,
        f"≤ {MAX_JOIN_RATIO}",
        None if ratio is None else ratio <= MAX_JOIN_RATIO,
    )


def _leave(measured: Measured, micro_batch_seconds: float) -> list[Row]:
    leavings = measured.leavings["workerbee"]
    computing = max((each.last_sample_seconds or 0.0 for each in leavings), default=None)
    gone = max((each.gone_seconds or 0.0 for each in leavings), default=None)
    limit = MAX_COMPUTING_SECONDS + micro_batch_seconds
    return [
        Row(
            "leave → no more computing",
            _seconds(computing),
            NO_FIGURE,
            NO_FIGURE,
            f"≤ {MAX_COMPUTING_SECONDS:.0f} s + a micro-batch ({micro_batch_seconds:.2f} s)",
            None if computing is None else computing <= limit,
        ),
        Row(
            "leave → the whole process family gone",
            _seconds(gone),
            NO_FIGURE,
            NO_FIGURE,
            f"≤ {MAX_GONE_SECONDS:.0f} s",
            None if gone is None else gone <= MAX_GONE_SECONDS,
        ),
    ]


def _others(measured: Measured) -> Row:
    def worst(kind: Kind) -> float | None:
        return max((each.others_stall_seconds for each in measured.leavings[kind]), default=None)

    ours = worst("workerbee")
    return Row(
        "longest stall of the other peer in the two rounds after one has left (bare: was killed)",
        _seconds(ours),
        _seconds(worst("default")),
        _seconds(worst("overlap")),
        f"≤ {MAX_OTHERS_STALL_SECONDS:.0f} s",
        None if ours is None else ours <= MAX_OTHERS_STALL_SECONDS,
    )


def _memory(measured: Measured) -> Row:
    peak = max((each.client_peak_bytes / 2**20 for each in measured.leavings["workerbee"]), default=None)
    return Row(
        "the client process: peak memory",
        _figure(peak, "{:.0f} MiB"),
        NO_FIGURE,
        NO_FIGURE,
        f"≤ {MAX_CLIENT_MIB:.0f} MiB",
        None if peak is None else peak <= MAX_CLIENT_MIB,
    )


def _seconds(value: float | None) -> str:
    return "never" if value == math.inf else _figure(value, "{:.2f} s")


def _figure(value: float | None, form: str) -> str:
    return NO_FIGURE if value is None else form.format(value)
