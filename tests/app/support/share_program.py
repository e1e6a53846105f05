"""The window with a slow computer's worker, as a program of its own that helps a run and says what it shows of traffic.

    python -m tests.app.support.share_program ADDRESS

Once a second it prints, as JSON, what its interface has carried by then in bytes, the words of the card of the network,
and the mean of the curves of the graph *Traffic per second*, in bytes a second, sent and received together.
"""

from __future__ import annotations

import json
import math
import sys
import time
from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer

from app.application import Application
from app.desktop.launch_request import LaunchRequest
from app.startup import Start, initial_window_for, make_qt
from core.client.session import Session
from core.files.folders import Folders
from core.hardware.monitor import DevicesSeen
from core.records.time_series import Series
from core.run.address import JoinAddress
from tests.support.peers import slow_computer

_STATISTICS = Path("/sys/class/net/eth0/statistics")
_SAY_MILLISECONDS = 1000
_DRAWN: tuple[Series, ...] = ("sent_rate", "received_rate")


def train(address: JoinAddress, timer: QTimer, application: Application) -> None:
    """Join as soon as there is a device, start, and say what is shown from then on."""

    def join(_seen: DevicesSeen) -> None:
        if application.session_controller.session.phase == "idle":
            application.session_controller.join(address)

    def follow(_before: Session, after: Session) -> None:
        if after.is_search_finished and after.phase == "found":
            application.session_controller.start(after.runs[0])

    def say() -> None:
        session = application.session_controller.session
        if session.phase != "training" or session.progress is None:
            return
        carried = sum(int((_STATISTICS / f"{way}_bytes").read_text()) for way in ("rx", "tx"))
        drawn = sum(mean_of(application, series) for series in _DRAWN)
        words = application.pages.training.page.network.text
        print(json.dumps({"at": time.monotonic(), "carried": carried, "drawn": drawn, "words": words}), flush=True)

    application.bridge.devices_arrived.connect(join)
    application.session_controller.changed.connect(follow)
    timer.timeout.connect(say)
    timer.start(_SAY_MILLISECONDS)


def mean_of(application: Application, series: Series) -> float:
    """The mean of what the graph draws of a series since the run began."""
    curve = application.recording.curve(series, None)
    values = [(low + high) / 2 for low, high in zip(curve.lows, curve.highs, strict=True) if not math.isnan(low)]
    return sum(values) / len(values) if values else 0.0


def main() -> None:
    """Until it is told to quit."""
    qt, timer = make_qt(), QTimer()
    start = Start(qt, initial_window_for(qt, Folders.default()), worker_command=slow_computer.WORKER)
    start.begun.connect(partial(train, JoinAddress.parse(sys.argv[1]), timer))
    start.run(LaunchRequest())


if __name__ == "__main__":
    main()
