"""How a worker leaves that is in no swarm."""

from __future__ import annotations

import os

from core.worker.process.channel import WorkerChannel


def exit_on_leave(channel: WorkerChannel) -> None:
    """Wait until we are asked to leave, and exit in the middle of whatever is done: nobody waits for a goodbye."""
    channel.leaving.wait()
    os._exit(0)
