"""The window as it is, with a door at the back: what a line on a socket says is done as a person would.

    python -m tests.bench.window.instrumented_window [--minimised] DOOR [WORKER …]

It opens what `app.startup` opens, and prints the events that reach it; nothing in `app` knows of it.
"""

from __future__ import annotations

import sys

from app.desktop.launch_request import MINIMISED, LaunchRequest
from app.import_hook import remove_import_hook


def main() -> int:
    """Until the person, or the bench, quits."""
    remove_import_hook()  # before the imports, as `app.__main__` does
    from app import application, startup
    from tests.bench.window.actions import watched

    is_minimised = sys.argv[1] == MINIMISED
    door, *worker = sys.argv[1 + is_minimised :]
    application.Application = watched(door)  # type: ignore[misc]
    return startup.open_window(LaunchRequest(is_minimised=is_minimised), worker_command=worker or None)


if __name__ == "__main__":
    sys.exit(main())
