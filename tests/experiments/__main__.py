"""`python -m tests.experiments [--only NAME]… [--readme]`"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from pathlib import Path

from tests.bench.machine import describe
from tests.experiments.execute import Outcome, live
from tests.experiments.experiments import EXPERIMENTS, Experiment
from tests.experiments.report import as_markdown, draw, write_into
from tests.support.checkout import ROOT

PICTURES = "resources/pictures/experiments"


def main() -> int:
    """One after the other; nothing is left of the peers, however it ends."""
    parser = argparse.ArgumentParser(prog="make experiments", description=__doc__)
    parser.add_argument("--only", action="append", choices=EXPERIMENTS, help="that one; may be repeated")
    parser.add_argument("--readme", action="store_true", help="put tables and curves into the README, too")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(describe(1))
    for name in asked.only or EXPERIMENTS:
        experiment = EXPERIMENTS[name]
        outcomes = carried_out(experiment)
        table = f"*{experiment.question}*\n\n{as_markdown(outcomes)}"
        print(f"\n{table}", flush=True)
        if asked.readme:
            draw(outcomes, ROOT / PICTURES / f"{name}.svg")
            write_into(ROOT / "README.md", name, f"{table}\n\n![{experiment.question}]({PICTURES}/{name}.svg)")
    return 0


def carried_out(experiment: Experiment) -> list[Outcome]:
    """Its trials, one after the other, on the same ground."""
    with (
        tempfile.TemporaryDirectory(prefix="workerbee-experiment-", ignore_cleanup_errors=True) as made,
        experiment.ground() as tables,
    ):
        return [
            live(trial, tables, experiment.epochs, Path(made) / str(number))
            for number, trial in enumerate(experiment.trials)
        ]


if __name__ == "__main__":
    sys.exit(main())
