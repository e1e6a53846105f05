"""`workerbee` and `python -m core.cli`."""

from __future__ import annotations

import sys

from core.cli.main import run_command


def main() -> int:
    """Run the command that was typed; the process's exit code."""
    return run_command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
