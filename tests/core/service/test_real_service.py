"""The service with a real organiser: under a real systemd user manager, and as the process that one would start."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.availability.presets import with_preset
from core.availability.rules import AvailabilityRules
from core.files.folders import Folders
from core.protocol.events import Progress, RoundFinished
from core.protocol.peers import PeersSeen
from core.records.settings import Settings, save_settings
from tests.core.service.user_manager import UserManager, why_not
from tests.support.environment.x11_desktop import wait_for
from tests.support.real_peers import GHOST_SECONDS, LIMIT_SECONDS, PATIENCE_SECONDS, Peer, averaged, peer_group

WORKERBEE = str(Path(sys.executable).with_name("workerbee"))
UNIT = "workerbee.service"

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(1200)]


def prepare(folder: Path) -> None:
    """The settings of a person who lends one thread of the CPU, whatever else the computer does."""
    rules = with_preset(AvailabilityRules(), "always")
    settings = Settings(device="cpu", threads=1, network="direct", availability=rules)
    save_settings(Folders.below(folder / "home").settings_file, settings)


def is_left_at_once(organiser: Peer, here: int) -> None:
    """Wait until the organiser is alone, for less than a peer is remembered that has not said goodbye."""
    seconds = 0.75 * GHOST_SECONDS
    organiser.wait_for(Progress, lambda event: event.peers == 1, since=here, seconds=seconds)
    organiser.wait_for(PeersSeen, lambda event: len(event.peers) == 1, since=here, seconds=seconds)


@pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")
def test_systemd_runs_it_restarts_it_with_the_session_and_its_end_is_a_goodbye(tmp_path: Path) -> None:
    prepare(tmp_path)
    with peer_group(tmp_path) as group:
        organiser = group.organiser()
        with UserManager(tmp_path) as manager:
            installed = manager.run(WORKERBEE, "service", "install", organiser.posted, "--yes")
            assert installed.returncode == 0, installed.stderr
            organiser.wait_for(RoundFinished, averaged, seconds=PATIENCE_SECONDS)
            told = json.loads(manager.run(WORKERBEE, "service", "status", "--json").stdout)
            assert (told["installed"], told["state"]) == (True, "running")
            assert manager.property_of(UNIT, "KillMode") == "mixed"
            assert manager.property_of(UNIT, "CPUWeight") == manager.property_of(UNIT, "IOWeight") == "10"
            assert not manager.run("systemctl", "--user", "list-units", "--no-legend", "workerbee-worker-*").stdout
            here = len(organiser.said)
        is_left_at_once(organiser, here)  # the person has logged out
        with UserManager(tmp_path) as manager:
            here = len(organiser.said)
            organiser.wait_for(RoundFinished, averaged, since=here, seconds=PATIENCE_SECONDS)  # nobody has started it
            here = len(organiser.said)
            assert manager.run(WORKERBEE, "service", "remove").returncode == 0
            is_left_at_once(organiser, here)
            assert manager.property_of(UNIT, "LoadState") == "not-found"


def test_the_process_of_the_unit_joins_and_says_goodbye_at_sigterm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path)
    stand_in = tmp_path / "bin" / "systemctl"  # stands for a systemd that accepts everything, and starts nothing
    stand_in.parent.mkdir()
    stand_in.write_text("#!/bin/sh\n")
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("WORKERBEE_HOME", str(tmp_path / "home"))
    with peer_group(tmp_path) as group:
        organiser = group.organiser()
        subprocess.run([WORKERBEE, "service", "install", organiser.posted, "--yes"], check=True, timeout=LIMIT_SECONDS)
        lines = (tmp_path / "config" / "systemd" / "user" / UNIT).read_text().splitlines()
        command = next(line for line in lines if line.startswith("ExecStart=")).removeprefix("ExecStart=")
        with (tmp_path / "service.log").open("wb") as log:
            service = subprocess.Popen(shlex.split(command), stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        organiser.wait_for(RoundFinished, averaged, seconds=PATIENCE_SECONDS)
        here = len(organiser.said)
        service.send_signal(signal.SIGTERM)
        is_left_at_once(organiser, here)
        assert service.wait(LIMIT_SECONDS) == 0
        words = (tmp_path / "service.log").read_text()
        wait_for(lambda: "Tiny sums" in words or "samples" in words, "words for the journal")
