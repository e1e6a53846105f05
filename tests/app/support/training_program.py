"""The window with a fake worker, as a program of its own that trains by itself.

    python -m tests.app.support.training_program JOURNAL

It prints a word for each new phase of the session.
"""

from __future__ import annotations

import sys
from pathlib import Path

from app.application import Application
from app.desktop.launch_request import LaunchRequest
from app.startup import Start, initial_window_for, make_qt
from core.client.session import Session
from core.files.folders import Folders
from core.hardware.monitor import DevicesSeen
from core.run.address import JoinAddress
from tests.support.peers import fake_worker
from tests.support.peers.sample_addresses import NOWHERE

ADDRESS = JoinAddress(peers=(NOWHERE,))


def train(application: Application) -> None:
    """Join as soon as there is a device, and start."""

    def join(_seen: DevicesSeen) -> None:
        if application.session_controller.session.phase == "idle":
            application.session_controller.join(ADDRESS)

    def follow(before: Session, after: Session) -> None:
        if after.phase != before.phase:
            print(after.phase, flush=True)
        if after.is_search_finished and after.phase == "found":
            application.session_controller.start(after.runs[0])

    application.bridge.devices_arrived.connect(join)
    application.session_controller.changed.connect(follow)


def main() -> None:
    """Until it is told to quit."""
    journal = sys.argv[1]
    qt = make_qt()
    command = [sys.executable, fake_worker.__file__, journal, "good"]
    front = initial_window_for(qt, Folders.below(Path(journal).parent / "home"))
    start = Start(qt, front, worker_command=command)
    start.begun.connect(train)
    start.run(LaunchRequest())
    print("closed", flush=True)


if __name__ == "__main__":
    main()
