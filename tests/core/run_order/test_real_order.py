"""Two real organisers on loopback, and one computer that helps them in an order, without a click."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.protocol.peers import PeersSeen
from core.run.manifest import RunManifest
from tests.support.computer.loopback import free_port
from tests.support.peers import slow_computer
from tests.support.real_peers import LIMIT_SECONDS, LineProcess, peer_group, tiny

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.faults, pytest.mark.timeout(1500)]


def named(run_id: str, name: str, **fields: Any) -> RunManifest:
    """A small run of that id."""
    run = tiny()
    return msgspec.structs.replace(run, run=msgspec.structs.replace(run.run, id=run_id, name=name, **fields))


def is_about(event: str, **fields: Any) -> Any:
    """Whether a line is that event, with these fields."""
    return lambda line: line["event"] == event and all(line.get(name) == value for name, value in fields.items())


def test_when_the_first_organiser_finishes_the_run_the_second_is_helped(tmp_path: Path) -> None:
    listen = (f"/ip4/127.0.0.1/tcp/{free_port()}",)
    with peer_group(tmp_path) as group:
        first = group.organiser("first", named("first", "First"), listen=listen, train=False)
        second = group.organiser("second", named("second", "Second"), train=False)
        words = ["join", first.posted, "--then", second.posted, "--yes", "--always", "--json"]
        words += ["--device", "cpu", "--threads", "1", "--network", "direct"]
        log = tmp_path / "volunteer" / "client.log"
        home = str(tmp_path / "volunteer")
        volunteer = LineProcess([*slow_computer.CLIENT, *words], log, json.loads, WORKERBEE_HOME=home)
        with contextlib.closing(contextlib.ExitStack()) as ends:
            ends.callback(volunteer.end)
            volunteer.until(is_about("progress"), seconds=3 * LIMIT_SECONDS)  # the third worker that is started
            first.wait_for(PeersSeen, lambda event: len(event.peers) == 2)
            here = len(volunteer.said)
            assert first.leave() == 0
            group.organiser("first", named("first", "First", state="finished"), listen=listen, train=False)
            volunteer.until(is_about("switched", run="second", before="First", reason="finished"), since=here)
            here = len(volunteer.said)
            second.wait_for(PeersSeen, lambda event: len(event.peers) == 2)
            volunteer.until(is_about("progress"), since=here, seconds=2 * LIMIT_SECONDS)
