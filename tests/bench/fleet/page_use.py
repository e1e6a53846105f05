"""The use of the window while it shows a fleet, as a process of its own measures it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PageUse:
    """A share of one core, and the longest time in which the event loop looked at nothing, of which it computed."""

    core_share: float
    stall_seconds: float
    stall_cpu_seconds: float


def page_use(folder: Path, looks: int, peers: int) -> PageUse:
    """Measured in a process of its own, for so many looks."""
    command = [sys.executable, "-m", "tests.bench.fleet.organise_page", str(looks), str(peers)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "WORKERBEE_HOME": str(folder / "organise-home")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=600)
    return PageUse(**json.loads(done.stdout.splitlines()[-1]))
