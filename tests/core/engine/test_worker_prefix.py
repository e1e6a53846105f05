"""A worker behind a prefix, as an engine inside WSL would be: the client needs not know."""

from __future__ import annotations

import queue
from pathlib import Path

from core.client.client import Client
from core.files.folders import Folders
from core.protocol.client_events import ClientEvent
from core.protocol.commands import Check
from tests.support.cli_process import fake
from tests.support.client_harness import no_new_children

LIMIT_SECONDS = 60.0
# Runs what follows the two dashes, as `wsl.exe` does, and is the one whose end is seen.
_STAND_IN = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift
"$@"
"""


def test_a_worker_behind_a_prefix_is_talked_to_and_leaves_nothing(tmp_path: Path) -> None:
    prefix = tmp_path / "wsl.exe"
    prefix.write_text(_STAND_IN)
    prefix.chmod(0o755)
    events: queue.Queue[ClientEvent] = queue.Queue()
    command = [str(prefix), "-d", "Debian", "--", *fake(tmp_path, "good")]
    client = Client(Folders.below(tmp_path / "home"), events.put, worker_command=command)
    with no_new_children():
        client.ask(Check())
        while client.session.engine is None:
            client.handle(events.get(timeout=LIMIT_SECONDS))
        client.close()
