"""`python -m tests.scale [--hours N] [--volunteers N]… [--seed N] [--docs]`: swarms too large for one computer."""

from __future__ import annotations

import argparse
import sys
from typing import get_args

from core.run.spec.collaboration import Mode
from installer.docs.regions import replace_region
from tests.scale.calibration import calibration
from tests.scale.report import DOCUMENT, PICTURE, REGION, SHOWN, as_markdown, calibration_table, draw
from tests.scale.swarm import Swarm
from tests.scale.world import home_swarm

VOLUNTEERS = (100, 1_000, 10_000)
HOURS = 12.0


def main() -> int:
    """Print the tables; with --docs write them into the organiser's guide, and the curves beside it."""
    parser = argparse.ArgumentParser(prog="make scale", description=__doc__)
    parser.add_argument("--hours", type=float, default=HOURS, help="how long each swarm lives (%(default)s)")
    parser.add_argument("--volunteers", type=int, action="append", help="so many; may be repeated")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn by lot (%(default)s)")
    parser.add_argument("--docs", action="store_true", help="put tables and curves into the organiser's guide, too")
    asked = parser.parse_args()
    modes: tuple[Mode, ...] = get_args(Mode)
    worlds = [home_swarm(volunteers, mode) for mode in modes for volunteers in asked.volunteers or VOLUNTEERS]
    results = [(world, Swarm(world, asked.seed).live(asked.hours), asked.hours) for world in worlds]
    text = f"{as_markdown(results)}\n\n{calibration_table(calibration())}"
    print(text)
    if asked.docs:
        draw(results, PICTURE)
        replace_region(DOCUMENT, REGION, f"{SHOWN}\n\n{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
