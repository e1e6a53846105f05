"""`python -m tests.bench [--quick] [--only ROW]… [--markdown] [--threads N] [--root-rounds N] [--crowd-epoch SECONDS]
[--keep FOLDER]`
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from tests.bench.machine import describe
from tests.bench.measure import Measured, measure, tell
from tests.bench.plan import ROWS, Plan, plan_for
from tests.bench.rows import rows_of
from tests.bench.setup import Ground, halves, write_run_file
from tests.bench.table import as_markdown, show

MAX_LOAD = 1.0  # before the bench itself begins


def main() -> int:
    """Measure and print; 1 if something could not be measured."""
    asked = _arguments()
    plan = plan_for(tuple(asked.only) or ROWS, is_quick=asked.quick, root_rounds=asked.root_rounds)
    plan = replace(plan, crowd_epoch_seconds=asked.crowd_epoch or plan.crowd_epoch_seconds)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no peer is left behind
    with tempfile.TemporaryDirectory(prefix="workerbee-bench-", ignore_cleanup_errors=True) as temporary:
        ground = _ground(asked.keep or Path(temporary), plan, asked.threads)
        machine, is_busy = describe(ground.threads), os.getloadavg()[0] > MAX_LOAD
        tell(machine)
        measured = measure(plan, ground)
        seconds = _micro_batch_seconds(measured, ground)
    rows = rows_of(plan.rows, measured, seconds)
    print(f"\n{machine}\n")
    if asked.markdown:
        print(as_markdown(rows))
    else:
        show(rows)
    if is_busy:
        print("The machine was busy with other things from the start: these figures are noise.")
    for reason in measured.why_not:
        print(f"not measured: {reason}")
    return int(any(row.is_reached is None for row in rows))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--only", action="append", default=[], choices=ROWS, help="that row; may be repeated")
    parser.add_argument("--quick", action="store_true", help="few epochs: to try it, not to quote it")
    parser.add_argument("--markdown", action="store_true", help="print the table for the documents")
    parser.add_argument("--threads", type=int, help="compute threads of each peer (half of the cores)")
    parser.add_argument("--root-rounds", type=int, help="rounds in which base weights are compared (30)")
    parser.add_argument("--crowd-epoch", type=float, help="seconds of an epoch of a crowd (120)")
    parser.add_argument("--keep", type=Path, help="keep the logs in this folder")
    return parser.parse_args()


def _ground(folder: Path, plan: Plan, threads: int | None) -> Ground:
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    write_run_file(folder / "demo.toml")
    cores = halves(os.sched_getaffinity(0))
    return Ground(
        folder=folder,
        run_file=folder / "demo.toml",
        cores=cores,
        threads=threads or len(cores[1]),
        epoch_seconds=plan.epoch_seconds,
        deadline=time.monotonic() + plan.limit_seconds,
    )


def _micro_batch_seconds(measured: Measured, ground: Ground) -> float:
    """How long one of two peers takes for a micro-batch, at the speed that was measured."""
    rates = [each.samples_per_second for each in measured.trainings["workerbee"] if each.samples_per_second]
    rate = sum(rates) / len(rates) if rates else 0.0
    return 2 * ground.manifest.collaboration.sure_batch_size / rate if rate else 0.0


if __name__ == "__main__":
    sys.exit(main())
