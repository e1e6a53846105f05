"""`python -m tests.gpu [--cpu] [--only ROW]… [--device DEVICE] [--report FILE] [--wheels FOLDER] [--keep FOLDER]`

Measures on a real NVIDIA GPU whatever else was only tried without one, and writes one table. After nine and a half
minutes it ends the row that is under way, and calls those that are left untried. Nothing is downloaded: weights are
random, the text is made up, and all traffic stays on loopback.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.gpu import wheels

LIMIT_SECONDS = 570.0  # and some for the end of the last row
ON_A_CPU_SECONDS = 1600.0  # on a computer that does much else


def main() -> int:
    """Measure and print; 1 if a row has failed or does not reach what it must."""
    asked = _arguments()
    if asked.fetch_wheels is not None:
        return wheels.fetch(asked.fetch_wheels, asked.python)
    if asked.wheels is not None:
        wheels.install_and_go_on(asked.wheels)
    from core.errors import UserError
    from core.hardware.discovery import choose_device, find_devices
    from tests.gpu.proof import prove
    from tests.gpu.table import as_markdown, show

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no peer is left behind
    deadline = time.monotonic() + (ON_A_CPU_SECONDS if asked.cpu else LIMIT_SECONDS)
    device = choose_device(find_devices(10.0), "cpu" if asked.cpu else asked.device)
    if device.kind == "cpu" and not asked.cpu:
        print("The driver tells of no GPU; --cpu runs the same at toy size.", file=sys.stderr)
        return 1
    try:
        with tempfile.TemporaryDirectory(prefix="workerbee-gpu-", ignore_cleanup_errors=True) as temporary:
            machine, lines = prove(asked.keep or Path(temporary), device, tuple(asked.only), deadline)
    except UserError as error:
        print(error.detail, file=sys.stderr)
        return 2
    show(machine, lines)
    if asked.report is not None:
        asked.report.write_text(as_markdown(machine, lines), encoding="utf-8")
    return int(not all(line.is_good for line in lines))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.gpu", description=__doc__)
    parser.add_argument("--cpu", action="store_true", help="the same at toy size, where there is no GPU")
    parser.add_argument("--only", action="append", default=[], metavar="ROW", help="that row; may be repeated")
    parser.add_argument("--device", default="auto", metavar="cuda:N", help="the GPU (the one with most free memory)")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the table there as Markdown, too")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the logs in this folder")
    parser.add_argument("--wheels", type=Path, metavar="FOLDER", help="use what that folder has beside torch")
    parser.add_argument("--fetch-wheels", type=Path, metavar="FOLDER", help="fill it, on a computer with a network")
    parser.add_argument("--python", default=wheels.this_python(), help="the Python for which wheels are fetched")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
