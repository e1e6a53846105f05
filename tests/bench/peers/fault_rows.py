"""From the faults' figures to their rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from tests.bench.peers.faults import CUT_SECONDS, OURS, SLEEP_SECONDS, WATCHED_SECONDS, FaultsMeasured, Way
from tests.bench.table import NO_FIGURE, Row
from tests.support.environment.network_namespaces import why_not
from tests.support.fault_injection import Cost

MAX_HELPING_AGAIN_SECONDS = 30.0
MAX_STALL_SHARE = 0.5  # of what the bare script causes
_WHAT = "helped again so long after {} (longest stall of the other peer)"


def fault_rows(measured: FaultsMeasured) -> Mapping[str, Callable[[], list[Row]]]:
    """How each row of a fault is made."""
    costs = measured.costs
    return {
        "crash": lambda: [_crash(costs["crash"])],
        "sleep": lambda: [_outage(f"a sleep of {SLEEP_SECONDS:.0f} s", costs["sleep"])],
        "cut": lambda: [_outage(f"a cut of {CUT_SECONDS:.0f} s", costs["cut"], why_not())],
    }


def _crash(costs: Mapping[Way, Cost]) -> Row:
    """The bare script is the one with hivemind's defaults, as people write it."""
    ours = [costs[way].stall_seconds for way in OURS if way in costs]
    bare = costs.get("default")
    is_reached = max(ours) <= MAX_STALL_SHARE * bare.stall_seconds if ours and bare else None
    must = f"stall ≤ {MAX_STALL_SHARE} × bare hivemind's"
    return _row("its worker was killed (bare: the script)", costs, must, is_reached)


def _outage(what: str, costs: Mapping[Way, Cost], obstacle: str = "") -> Row:
    ours = [costs[way].helped_again_seconds for way in OURS if way in costs]
    is_reached = max(ours) <= MAX_HELPING_AGAIN_SECONDS if ours else None
    return _row(what, costs, f"≤ {MAX_HELPING_AGAIN_SECONDS:.0f} s", is_reached, obstacle)


def _row(what: str, costs: Mapping[Way, Cost], must: str, is_reached: bool | None, obstacle: str = "") -> Row:
    """``obstacle`` is why it could not be measured on this system."""
    ours = " · ".join(f"{way} {_cell(costs[way])}" for way in OURS if way in costs) or obstacle or NO_FIGURE
    return Row(_WHAT.format(what), ours, _cell(costs.get("default")), _cell(costs.get("overlap")), must, is_reached)


def _cell(cost: Cost | None) -> str:
    if cost is None:
        return NO_FIGURE
    again = cost.helped_again_seconds
    helped = f"not in {WATCHED_SECONDS:.0f} s" if math.isinf(again) else f"{again:.1f} s"
    return f"{helped} ({cost.stall_seconds:.1f} s)"
