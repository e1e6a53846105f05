"""`python -m tests.experiments [--only NAME]… [--quick] [--size SIZE]… [--results FILE] [--docs]`"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from functools import partial
from pathlib import Path

from installer.docs.regions import replace_region
from tests.bench.machine import describe
from tests.experiments.execute import Outcome, live
from tests.experiments.experiments import EXPERIMENTS, Experiment
from tests.experiments.report import DOCUMENT, PICTURES, as_markdown, draw
from tests.experiments.same_samples import report as same_samples
from tests.experiments.same_samples.simulation import simulated
from tests.experiments.same_samples.trials import SIZES, trials

SIMULATED = {
    "same-samples": "What does local SGD learn from the same samples?",
    "muon": "What does Muon learn from the same samples?",
}


def main() -> int:
    """One after the other; nothing is left of the peers, however it ends."""
    asked = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    print(describe(1))
    for name in asked.only or (*EXPERIMENTS, *SIMULATED):
        if name in SIMULATED:
            results = simulated(trials(name, asked.size, is_quick=asked.quick), asked.results)
            question, table, drawn = (
                SIMULATED[name],
                same_samples.as_markdown(results),
                partial(same_samples.draw, results),
            )
        else:
            outcomes = carried_out(EXPERIMENTS[name])
            question, table, drawn = EXPERIMENTS[name].question, as_markdown(outcomes), partial(draw, outcomes)
        print(f"\n{question}\n\n{table}", flush=True)
        if asked.docs:
            drawn(PICTURES / f"{name}.svg")
            picture = f"![{question}](../pictures/experiments/{name}.svg)"
            replace_region(DOCUMENT, f"experiment {name}", f"{table}\n\n{picture}")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make experiments", description=__doc__)
    names, some = (*EXPERIMENTS, *SIMULATED), " and ".join(SIMULATED)
    parser.add_argument("--only", action="append", choices=names, help="that one; may be repeated")
    parser.add_argument("--docs", action="store_true", help="put tables and curves into the documents, too")
    parser.add_argument("--quick", action="store_true", help=f"{some}: the smallest model for two rounds")
    parser.add_argument("--size", action="append", default=[], choices=SIZES, help=f"{some}: that model only")
    parser.add_argument("--results", type=Path, help=f"{some}: a file of what was simulated before; it grows")
    return parser.parse_args()


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
