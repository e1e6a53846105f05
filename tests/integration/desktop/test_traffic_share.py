"""Which part of a computer's traffic the window says is the run's: real peers, a real interface and another program.

Each computer is a network namespace, so that its interface carries what it sends and receives, and nothing else does.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.availability.presets import with_preset
from core.availability.rules import AvailabilityRules
from core.files.folders import Folders
from core.protocol.events import RoundFinished
from core.records.settings import Settings, save_settings
from core.run.manifest import RunManifest
from core.run.spec.recipe import ArithmeticGPT
from tests.support.environment.network_namespaces import Host, Internet
from tests.support.real_peers import LineProcess, PeerGroup, averaged, tiny

pytestmark = [pytest.mark.networks, pytest.mark.real, pytest.mark.faults, pytest.mark.timeout(900)]  # three minutes

SHOWN = re.compile(r"^This run: (\d+) % of this computer's traffic in the last ", re.MULTILINE)
LEAST_ALONE = 0.9  # frames of Ethernet count as others'
FRAMES, LOOKS = 0.05, 0.03  # by how much less a share may be for that, and more by a report that is not of the moment
OTHERS = 2  # times what the run carries
PORT, CHUNK_BYTES = "31000", 300_000

Program = LineProcess[dict[str, Any]]

RECEIVE = """
import socket, sys
with socket.create_server(("0.0.0.0", int(sys.argv[1]))) as server:
    print("{}", flush=True)
    connection, _ = server.accept()
    while connection.recv(1 << 20):
        pass
"""
SEND = f"""
import json, socket, sys, time
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as connection:
    sent = 0
    while True:
        connection.sendall(bytes({CHUNK_BYTES}))
        sent += {CHUNK_BYTES}
        print(json.dumps({{"sent": sent}}), flush=True)
        time.sleep(0.1)
"""


def program(host: Host, log: Path, *words: str, **environment: str) -> Program:
    """A Python program on that host that says lines of JSON."""
    return Program([*host.within, sys.executable, *words], log, json.loads, is_warm=False, **environment)


def exchanging() -> RunManifest:
    """A run that exchanges some megabytes in each epoch of ten seconds."""
    return msgspec.structs.replace(tiny(), recipe=ArithmeticGPT(layers=2, width=112, heads=2))


@contextmanager
def window(host: Host, address: str, home: Path) -> Iterator[Program]:
    """The window of a computer there that helps the run, whatever else happens."""
    settings = Settings(availability=with_preset(AvailabilityRules(), "always"), language="en", is_tray_explained=True)
    save_settings(Folders.below(home).settings_file, settings)
    nobody = dict.fromkeys(("DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS"), "unix:path=/nonexistent")
    words = ("-m", "tests.app.support.share_program", address)
    opened = program(host, home / "log", *words, QT_QPA_PLATFORM="offscreen", WORKERBEE_HOME=str(home), **nobody)
    try:
        yield opened
    finally:
        opened.end()


@contextmanager
def other_program(here: Host, there: Host, folder: Path) -> Iterator[Program]:
    """It sends up to three megabytes a second to another computer."""
    receiver = program(there, folder / "receiver", "-c", RECEIVE, PORT)
    receiver.until(lambda _said: True)
    sender = program(here, folder / "sender", "-c", SEND, there.address, PORT)
    try:
        yield sender
    finally:
        sender.end()
        receiver.end()


def share_in(line: dict[str, Any]) -> float | None:
    """The share that is shown, if one is."""
    found = SHOWN.search(line["words"])
    return None if found is None else int(found[1]) / 100


def test_the_share_and_the_graph_are_of_the_runs_own_bytes_whatever_else_is_sent(
    net: Internet, group: PeerGroup, tmp_path: Path
) -> None:
    organiser = group.at(net.host()).organiser(manifest=exchanging())
    home, elsewhere = net.host(), net.host()
    with window(home, organiser.posted, tmp_path / "home") as shown:
        organiser.wait_for(RoundFinished, averaged)
        shown.until(lambda line: (share_in(line) or 0.0) >= LEAST_ALONE)
        first = shown.said[0]

        def of_run(sent: int) -> int:
            """What the run has carried by now, as the interface has it, if the other program has sent so much."""
            return int(shown.said[-1]["carried"] - first["carried"] - sent)

        with other_program(home, elsewhere, tmp_path) as other:
            others = other.until(lambda line: line["sent"] > OTHERS * of_run(line["sent"]))["sent"]
            last = shown.until(lambda _line: True, len(shown.said))
    own, in_all, seconds = of_run(others), last["carried"] - first["carried"], last["at"] - first["at"]
    share = share_in(last)
    assert share is not None and own / in_all - FRAMES < share < own / in_all + LOOKS
    assert 0.5 < last["drawn"] / (own / seconds) < 1.5, "the graph is of the run's bytes, which are a third of all"
