"""Every rule of the owner at once, and a desktop on which each has something to see, of which nothing asks for a pause.

Both message buses are real, the services on them python-dbusmock's or mocks of their interfaces. NVIDIA's library is
the C stand-in; another program's use of the GPU is told of a real process, anew every half second.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from core.availability.rules import AvailabilityRules
from core.observers.desktop_bus.services import (
    GAME_MODE,
    LOGIND,
    MUTTER,
    NETWORK_MANAGER,
    OWN_SESSION,
    PLAYER_INTERFACE,
    PLAYER_PATH,
    PLAYER_PREFIX,
    POWER_PROFILES,
    SESSION_MANAGER,
    UPOWER,
)
from installer.environment import has_module
from tests.app.support.mock_service import MockService
from tests.bench.setup import NotMeasured
from tests.support.computer.gpu_user import gpu_user
from tests.support.environment.fake_nvml import FakeNvml
from tests.support.environment.session_bus import session_bus

DEVICE = "cuda:0"
_GPU = ("gpu GPU-aaaa 8192 6144 51 NVIDIA GeForce RTX 3070", "busy 0 87 180000", "cooling 0 35")
_IDLE_MILLISECONDS, _IDLE_MINUTES = 90_000, 1
_SAMPLE_SECONDS, _OTHERS_PERCENT = 0.5, 5
_LARGEST = 10**15
_SESSION = {
    "Type": ("s", "x11"),
    "Active": ("b", True),
    "LockedHint": ("b", False),
    "IdleHint": ("b", False),
    "IdleSinceHintMonotonic": ("t", 0),
}


def every_rule(folder: Path) -> AvailabilityRules:
    """All of them on, with bounds that this computer and such a desktop keep; the file of prices is in that folder."""
    now = datetime.now().astimezone()
    prices = folder / "prices.csv"
    hours = [now + timedelta(hours=number) for number in range(-1, 47)]
    prices.write_text("start,price\n" + "".join(f"{hour.isoformat()},0.1\n" for hour in hours))
    other = (now.hour + 12) % 24
    return AvailabilityRules(
        films=True,
        gpu_share=0.2,
        programs=("blender", "darktable"),
        idle_minutes=_IDLE_MINUTES,
        cpu_pressure=1.0,
        memory_pressure=1.0,
        hours=("x" * other + "." + "x" * (23 - other),) * 7,
        price_file=str(prices),
        highest_price=0.3,
        sent_bytes_a_day=_LARGEST,
        received_bytes_a_day=_LARGEST,
        sent_bytes_a_month=_LARGEST,
        received_bytes_a_month=_LARGEST,
        gpu_celsius=83,
        gpu_watts=220,
        fan_percent=70,
        attended_compute_share=0.5,
        upload_rate=10**9,
        attended_upload_rate=10**8,
        download_rate=10**9,
        attended_download_rate=10**8,
    )


@contextmanager
def ruled_desktop(folder: Path) -> Iterator[None]:
    """Whatever is started meanwhile finds that GPU and those services; raises NotMeasured where they cannot be made."""
    if missing := [each for each in ("cc", "dbus-daemon") if shutil.which(each) is None]:
        raise NotMeasured(f"there is no {missing[0]}")
    if not has_module("dbusmock"):
        raise NotMeasured("there is no python3-dbusmock")
    driver = FakeNvml(folder / "nvml")
    with ExitStack() as ends:
        session, system = ends.enter_context(session_bus()), ends.enter_context(session_bus())
        for service in (*_on_session(session), *_on_system(system)):
            ends.enter_context(service)
        ends.enter_context(_used_by_another(driver, folder))
        found = {name: driver.environment[name] for name in ("LD_LIBRARY_PATH", "FAKE_NVML_STATE")}
        buses = {"DBUS_SESSION_BUS_ADDRESS": session, "DBUS_SYSTEM_BUS_ADDRESS": system}
        ends.enter_context(patch.dict(os.environ, found | buses))
        yield


def _on_session(address: str) -> Iterator[MockService]:
    """Nobody has touched the computer for a while, no game runs, a player is paused, nothing keeps the screen on."""
    idle = MockService(address, MUTTER.service, MUTTER.path)
    yield idle
    idle.add_method("GetIdletime", "t", f"ret = {_IDLE_MILLISECONDS}")
    games = MockService(address, GAME_MODE.service, GAME_MODE.path)
    yield games
    games.add_properties(GAME_MODE.interface, {"ClientCount": ("i", 0)})
    games.add_method("ListGames", "a(io)", "ret = []")
    player = MockService(address, f"{PLAYER_PREFIX}.vlc", PLAYER_PATH, PLAYER_INTERFACE)
    yield player
    player.add_properties(PLAYER_INTERFACE, {"PlaybackStatus": ("s", "Paused")})
    inhibitors = MockService(address, SESSION_MANAGER.service, SESSION_MANAGER.path)
    yield inhibitors
    inhibitors.add_method("GetInhibitors", "ao", "ret = []")


def _on_system(address: str) -> Iterator[MockService]:
    """On mains power, without power saver, on a network that is not metered, in a session that is used."""
    yield MockService(address, UPOWER.service, UPOWER.path, template="upower")
    profiles = MockService(address, POWER_PROFILES[0].service, POWER_PROFILES[0].path)
    yield profiles
    profiles.add_properties(POWER_PROFILES[0].interface, {"ActiveProfile": ("s", "balanced")})
    network = MockService(address, NETWORK_MANAGER.service, NETWORK_MANAGER.path)
    yield network
    network.add_properties(NETWORK_MANAGER.interface, {"Metered": ("u", 2)})
    logind = MockService(address, LOGIND.service, LOGIND.path, template="logind")
    yield logind
    logind.add_object(OWN_SESSION.path, OWN_SESSION.interface, _SESSION, [])


@contextmanager
def _used_by_another(driver: FakeNvml, folder: Path) -> Iterator[None]:
    """A real program, of which each of the driver's samples says that it uses a little of the GPU."""

    def sample(pid: int, at: int) -> None:
        driver.says(*_GPU, f"process 0 {pid} 512 Compute", f"use 0 {pid} {_OTHERS_PERCENT} {at}")

    with gpu_user(folder, sample, _SAMPLE_SECONDS):
        yield
