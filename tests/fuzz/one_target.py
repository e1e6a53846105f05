"""`python -m tests.fuzz.one_target NAME FOLDER… [-libFuzzer=option]…`: feed one target until a limit or a defect."""

from __future__ import annotations

import sys


def main() -> None:
    """libFuzzer ends the process: 0 at a limit, another code for a defect, whose input it writes to a file."""
    import atheris

    with atheris.instrument_imports(include=["core"]):
        from core.worker.swarm.patches.msgpack_depth import limit_msgpack_depth
        from tests.fuzz.targets import targets
    limit_msgpack_depth()
    name, *arguments = sys.argv[1:]
    atheris.Setup([sys.argv[0], *arguments], targets()[name].feed)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
