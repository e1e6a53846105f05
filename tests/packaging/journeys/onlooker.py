"""What others see of a volunteer whose system is upgraded: a goodbye, and the newer version, which computes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from core.fleet.snapshot import FleetSnapshot
from core.protocol.events import Progress
from core.protocol.peers import PeersSeen
from tests.support.environment.x11_desktop import Launched, wait_for
from tests.support.real_peers import GHOST_SECONDS, START_SECONDS, LineProcess, Peer

TOLD_SECONDS = 400.0  # a peer tells of its version every hundred seconds


def sees_upgrade(organiser: Peer, program: Launched, upgrade: Callable[[], str]) -> None:
    """Do that to the system, which returns the new version, and touch nothing until two compute again.

    The organiser hears a goodbye: without one it would count the peer, and wait for it, for ``GHOST_SECONDS`` more.
    ``program`` is what started the volunteer's worker.
    """
    before, here = program.offspring, len(organiser.said)
    assert before, "nobody trains"
    version = upgrade()
    wait_for(lambda: not set(before) & set(program.offspring), "the end of the older version's worker")
    organiser.wait_for(Progress, lambda event: event.peers == 1, since=here, seconds=GHOST_SECONDS / 2)
    alone = len(organiser.said)
    organiser.wait_for(Progress, lambda event: event.peers == 2, since=alone, seconds=START_SECONDS)
    organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 2, since=alone)
    with closing(_Fleet(organiser, organiser.home.parent / f"fleet-{version}")) as fleet:
        fleet.shows(version)


class _Fleet:
    """`workerbee fleet` of somebody who only watches."""

    def __init__(self, organiser: Peer, folder: Path) -> None:
        self._process: LineProcess[FleetSnapshot] = LineProcess(
            [sys.executable, "-m", "core.cli", "fleet", organiser.posted, "--json"],
            folder / "log",
            lambda line: msgspec.json.decode(line, type=FleetSnapshot),
            WORKERBEE_HOME=str(folder),
        )

    def shows(self, version: str) -> None:
        """Wait until a peer says that it is that version."""
        self._process.until(
            lambda each: any(group.name == version for group in each.totals.versions), seconds=TOLD_SECONDS
        )

    def close(self) -> None:
        """Watch no longer."""
        self._process.end()
