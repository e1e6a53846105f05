"""The window as `workerbee LINK` or `workerbee RUN-FILE` opens it, but with a fake worker.

python -m tests.app.support.double_clicked_program JOURNAL [LINK-OR-RUN-FILE]
"""

from __future__ import annotations

import sys

from app.desktop.launch_request import LaunchRequest
from app.startup import open_window
from tests.support.peers import fake_worker


def main() -> int:
    """Until it is told to quit, or at once where another window takes what was given."""
    journal, *words = sys.argv[1:]
    request = LaunchRequest.read(words)
    assert request is not None, words
    return open_window(request, worker_command=[sys.executable, fake_worker.__file__, journal, "good"])


if __name__ == "__main__":
    sys.exit(main())
