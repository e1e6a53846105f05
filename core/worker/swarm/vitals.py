"""The processes that a peer cannot do without: hivemind waits for ever for those that are gone."""

from __future__ import annotations

import psutil

from core.worker.swarm.connection import Swarm
from core.worker.swarm.optimizer import SwarmOptimizer


class Vitals:
    """Build it when all of them live."""

    def __init__(self, swarm: Swarm, optimizer: SwarmOptimizer) -> None:
        self._parts = [
            *(("An averaging process", psutil.Process(averager.pid)) for averager in optimizer.averagers),
            ("The process of the DHT", psutil.Process(swarm.dht.pid)),
            ("p2pd", psutil.Process(swarm.daemon_pid())),
        ]

    def dead_part(self) -> str:
        """What has ended, in words; nothing while all of them live."""
        return next((name for name, process in self._parts if not _lives(process)), "")


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
