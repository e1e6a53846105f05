"""`python -m tests.experiments [--only NAME]… [--docs]`"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from pathlib import Path

from installer.docs.regions import replace_region
from tests.bench.machine import describe
from tests.experiments.execute import Outcome, live
from tests.experiments.experiments import EXPERIMENTS, Experiment
from tests.experiments.report import DOCUMENT, PICTURES, as_markdown, draw


def main() -> int:
    """One after the other; nothing is left of the peers, however it ends."""
    parser = argparse.ArgumentParser(prog="make experiments", description=__doc__)
    parser.add_argument("--only", action="append", choices=EXPERIMENTS, help="that one; may be repeated")
    parser.add_argument("--docs", action="store_true", help="put tables and curves into the documents, too")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(describe(1))
    for name in asked.only or EXPERIMENTS:
        experiment = EXPERIMENTS[name]
        outcomes = carried_out(experiment)
        table = as_markdown(outcomes)
        print(f"\n{experiment.question}\n\n{table}", flush=True)
        if asked.docs:
            draw(outcomes, PICTURES / f"{name}.svg")
            picture = f"![{experiment.question}](../pictures/experiments/{name}.svg)"
            replace_region(DOCUMENT, f"experiment {name}", f"{table}\n\n{picture}")
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
