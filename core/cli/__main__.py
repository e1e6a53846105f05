"""`workerbee` and `python -m core.cli`."""

from __future__ import annotations

import sys

_INTERRUPTED_CODE = 130


def main() -> int:
    """Run the command that was typed; the process's exit code, also of a Ctrl-C while our modules are being loaded."""
    try:
        from core.cli.main import run_command

        return run_command(sys.argv[1:])
    except KeyboardInterrupt:
        return _INTERRUPTED_CODE


if __name__ == "__main__":
    sys.exit(main())
