"""`python -m tests.attacks [--mode MODE] [--only ATTACK]… [--honest N] [--liars N] [--epochs N] [--swarms-only]`

One liar of five, or so many of as many as are asked for, attacks a swarm in every way that is known to it, each beside
the same swarm without a liar. Then the tests that `resources/docs/security.md` names try what organisers, hubs, the
DHT, other users and web pages can do. At the end it says which attack has cost more than it may, and fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.table import Table

from installer.docs.markdown import table
from tests.attacks.documented import documented_tests
from tests.attacks.limits import Attack, judged
from tests.attacks.swarm_attacks import LIES, NOBODY_LIES, WHAT, Cost, Mode, SwarmSize, attack_rows, row_name
from tests.bench.machine import describe
from tests.support.checkout import ROOT
from tests.support.peers.learning_rows import Lie, learn
from tests.support.real_peers import peer_group

HEADINGS = ("attack", "mode", "whole rounds", "loss ÷ honest", "longest stand-still", "who was named", "what was lost")
LIMIT_SECONDS = 3600.0  # for all swarms of a mode


def main() -> int:
    """Attack and print; 1 where a test fails, something was lost, or an attack cost more than `limits` allow."""
    asked = _arguments()
    print(describe(os.cpu_count() or 1), flush=True)
    size = SwarmSize(asked.honest, asked.liars)
    attacks: list[Attack] = []
    for mode in (asked.mode,) if asked.mode else get_args(Mode):
        attacks += _attacks(mode, tuple(asked.only), asked.epochs, size, asked.side_by_side)
    _show([attack.line for attack in attacks], is_markdown=asked.markdown)
    has_failed = not asked.swarms_only and subprocess.run(_pytest(), cwd=ROOT).returncode != 0
    for attack in attacks:
        if attack.missed:
            print(f"MISSED: {', '.join(attack.line[:2])}: {'; '.join(attack.missed)}")
    return int(has_failed or any(attack.missed for attack in attacks))


def _pytest() -> list[str]:
    """The command that runs the tests which the security page names, those marked `faults` too."""
    return [sys.executable, "-m", "pytest", "-q", "-m", "", *documented_tests()]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make attack", description=__doc__)
    parser.add_argument("--mode", choices=get_args(Mode), help="that mode alone")
    parser.add_argument(
        "--only", action="append", default=[], choices=sorted(WHAT), help="that attack; may be repeated"
    )
    parser.add_argument("--honest", type=int, default=4, help="members who tell the truth, the organiser included (4)")
    parser.add_argument("--liars", type=int, default=1, help="members who lie (1)")
    parser.add_argument("--epochs", type=int, default=8, help="of each swarm (8)")
    parser.add_argument("--side-by-side", type=int, default=1, help="swarms at a time (1)")
    parser.add_argument("--swarms-only", action="store_true", help="without the tests that the documents name")
    parser.add_argument("--markdown", action="store_true", help="print the table for the documents")
    return parser.parse_args()


def _attacks(mode: Mode, only: tuple[Lie, ...], epochs: int, size: SwarmSize, side_by_side: int) -> list[Attack]:
    """What came of the swarms of a mode; the first is the one in which nobody lies."""
    lies = [lie for lie in LIES[mode] if not only or lie in only]
    with tempfile.TemporaryDirectory(prefix="workerbee-attacks-") as folder, peer_group(Path(folder)) as group:
        outcomes = learn(group, attack_rows(mode, lies, epochs, size), side_by_side, LIMIT_SECONDS)
    costs = {lie: Cost.of(outcomes[row_name(mode, lie)], epochs, size.honest) for lie in (NOBODY_LIES, *lies)}
    return judged(mode, costs, size)


def _show(lines: list[tuple[str, ...]], *, is_markdown: bool) -> None:
    if is_markdown:
        print(table(HEADINGS, lines))
        return
    shown = Table(*HEADINGS)
    for line in lines:
        shown.add_row(*line)
    Console().print(shown)


if __name__ == "__main__":
    sys.exit(main())
