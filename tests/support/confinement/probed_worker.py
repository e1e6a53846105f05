"""A real worker, of a slow computer, in whose midst the probes are run: ``python -m … FOLDER``.

As soon as FOLDER, in which the worker may write, holds ``<name>.wanted``, a child of it runs the probes (with ``name``
as its argument) on the targets in that file, and their results are written to ``<name>.json``. Confinement and
training are those of every worker.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

from core.worker.process import process_tree
from tests.support.peers.slow_computer import run_worker

NAMES = ("all", "fork-bomb")
_LOOK_SECONDS = 0.1


def run_probes(folder: Path) -> None:
    """Wait until each kind of probes is wanted, and run it as a child of this process."""
    for name in NAMES:
        wanted = folder / f"{name}.wanted"
        while not wanted.exists():
            time.sleep(_LOOK_SECONDS)
        command = [sys.executable, "-P", "-m", "tests.support.confinement.probes", name]
        said = subprocess.run(command, input=wanted.read_bytes(), stdout=subprocess.PIPE).stdout
        half = folder / f"{name}.half"
        half.write_bytes(said)
        half.rename(folder / f"{name}.json")


def main() -> None:
    """As a worker does; the probes begin where a worker first prepares to have children, so when it is confined."""
    set_up, folder = process_tree.setup_fork_handling, Path(sys.argv[1])

    def set_up_and_probe() -> None:
        set_up()
        threading.Thread(target=run_probes, args=(folder,), daemon=True).start()

    process_tree.setup_fork_handling = set_up_and_probe
    run_worker()


if __name__ == "__main__":
    main()
