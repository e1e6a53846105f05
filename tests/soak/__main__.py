"""`python -m tests.soak [--minutes 30] [--volunteers 8] [--seed N] [--mode local-sgd] [--keep FOLDER]`"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
from pathlib import Path
from typing import get_args

from core.run.spec.collaboration import Mode
from tests.bench.machine import describe
from tests.soak.report import show, troubles_of
from tests.soak.run_file import run_file_in
from tests.soak.soak import is_healed, live
from tests.soak.timeline import Story
from tests.support.environment.network_namespaces import why_not


def main() -> int:
    """Live it and tell; 1 if something is left over, somebody has not come back or nobody can explain it."""
    asked = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that nobody is left behind
    title = f"seed {asked.seed}, {asked.mode}; {describe(1)}"
    print(title, file=sys.stderr)
    if reason := why_not():
        print(f"No line is cut here: {reason}.", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="workerbee-soak-", ignore_cleanup_errors=True) as temporary:
        folder = (asked.keep or Path(temporary)).absolute()
        run_file = run_file_in(folder, 1 + asked.volunteers, asked.mode)
        outcome = live(asked.seed, asked.volunteers, asked.minutes, run_file, folder)
        for story in outcome.stories:
            _write_down(story, folder / story.name / "events.txt")
    show(outcome, title)
    is_well = all(is_healed(story) for story in outcome.stories[1:])
    return int(bool(outcome.left_over or troubles_of(outcome) or not is_well))


def _write_down(story: Story, path: Path) -> None:
    """For whoever wants to know why: what has happened to it and what it said, in seconds before the end."""
    told = [(each.at, str(each.event)) for each in story.seen]
    told += [(each.began, f"--- {each.kind}") for each in story.suffered]
    told += [(each.ended, f"--- {each.kind}: over") for each in story.suffered if each.ended is not None]
    path.write_text("".join(f"{at - story.end:10.2f} {what}\n" for at, what in sorted(told)))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="how long things go wrong (30)")
    parser.add_argument("--volunteers", type=int, default=8, help="how many there are (8)")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000), help="the same plan again")
    parser.add_argument("--mode", choices=get_args(Mode), default="gradients", help="how they train (gradients)")
    parser.add_argument("--keep", type=Path, help="keep everybody's folder, with logs and events, in this one")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
