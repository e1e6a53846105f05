"""`python -m tests.fuzz [NAME]… [--inputs N] [--keep]`: feed so many inputs to each parser of strangers' bytes."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.fuzz.fuzzing import found_inputs, fuzz, keep_inputs, kept_inputs
from tests.fuzz.targets import targets

DAY_SECONDS = 86_400.0
HANG_SECONDS = 60  # by the clock, for what Python's signals do not end; see one_target.py


def main() -> int:
    """A line for each; the exit code is how many have a defect."""
    known = targets()
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    parser.add_argument("--inputs", type=int, default=1_000_000, help="for each (default: %(default)s)")
    parser.add_argument("--keep", action="store_true", help="add what reaches new code to tests/fuzz/corpus")
    asked = parser.parse_args()
    defects = 0
    for name in asked.names or known:
        with tempfile.TemporaryDirectory(prefix="workerbee-fuzz-") as made:
            folder = Path(made) / name
            inputs = (*known[name].seeds, *kept_inputs(name))
            found = fuzz(name, inputs, folder, seconds=DAY_SECONDS, most=asked.inputs, hang_seconds=HANG_SECONDS)
            print(
                f"{name}: {found.inputs:,} inputs{'; a defect:' if found.defect else ''}\n{found.defect}".strip(),
                flush=True,
            )
            defects += bool(found.defect)
            if asked.keep and not found.defect:
                keep_inputs(name, found_inputs(folder))
    return defects


if __name__ == "__main__":
    sys.exit(main())
