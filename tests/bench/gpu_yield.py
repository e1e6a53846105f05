"""How soon a GPU is given back to another program, or to a game, once the owner's rules have seen it.

Window, rules, worker, run and GameMode are real. NVIDIA's library is the C stand-in, which tells of a real process that
it uses most of the GPU, and the worker computes on the CPU under the GPU's name, as fast as a slow computer.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Literal, get_args
from unittest.mock import patch

from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection

from core.availability.rules import AvailabilityRules
from core.records.settings import Settings
from tests.bench.peers.metrics import Track
from tests.bench.peers.pair import START_SECONDS, addresses_of, first_peer
from tests.bench.setup import Ground, NotMeasured
from tests.bench.table import Row, figure_row
from tests.bench.window.pause import Pausing, pausing_of
from tests.bench.window.process import WindowProcess, settle_home, tells_a_sample
from tests.bench.window.rows import computing_row, gone_row
from tests.bench.window.virtual_screen import Screen, an_x11_screen
from tests.support.computer import gpu_worker
from tests.support.computer.gpu_user import gpu_user
from tests.support.environment.fake_nvml import FakeNvml
from tests.support.environment.session_bus import session_bus

Cause = Literal["gpu", "game"]
MOST_SECONDS_TO_SEE: Mapping[Cause, float] = {"gpu": 3.0, "game": 2.0}
"""Another program must use the GPU for two seconds, which the rule says, and is looked for every 1.7."""
_NAMES: Mapping[Cause, str] = {"gpu": "another program computes on the GPU", "game": "a game tells GameMode"}
_GPU = f"gpu GPU-aaaa 8192 8000 51 NVIDIA {gpu_worker.MODEL}"
_GAME_MODE, _GAME_MODE_PATH = "com.feralinteractive.GameMode", "/com/feralinteractive/GameMode"
_SAMPLE_SECONDS, _SETTLED_SECONDS, _LIMIT_SECONDS, _ANSWER_SECONDS = 0.1, 5.0, 60.0, 20.0
_BACK_SECONDS = 4 * START_SECONDS  # until it trains, again too, on a busy computer


@dataclass(frozen=True)
class Yielding:
    """Seconds from the cause until a rule asks for the pause, and what became of it from then on."""

    cause: Cause
    seen_seconds: float
    pausing: Pausing


@dataclass
class GpuYieldMeasured:
    """One of each cause for each window that was opened."""

    yieldings: list[Yielding] = field(default_factory=list)


def gpu_yield_deeds(ground: Ground, times: int, measured: GpuYieldMeasured) -> Mapping[str, Callable[[], object]]:
    """So many windows, each of which trains, yields, is resumed, and yields again."""

    def measure() -> object:
        if missing := [each for each in ("cc", "dbus-daemon", "gamemoded") if shutil.which(each) is None]:
            raise NotMeasured(f"there is no {missing[0]}")
        with an_x11_screen() as screen, first_peer("workerbee", ground) as organiser:
            addresses = addresses_of(organiser, ground)
            for number in range(times):
                measured.yieldings += _yieldings(f"gpu_yield-{number}", screen, ground, addresses)
        return measured.yieldings

    return {"gpu_yield": measure}


def _yieldings(name: str, screen: Screen, ground: Ground, addresses: tuple[str, ...]) -> Iterator[Yielding]:
    rules = AvailabilityRules(gpu_share=0.2, games=True, battery=False, metered=False, memory_pressure=None)
    settle_home(ground, name, Settings(device="cuda:0", threads=1, language="en", availability=rules))
    driver = FakeNvml(ground.folder / f"{name}.nvml")
    driver.says(_GPU)
    with ExitStack() as ends:
        bus = ends.enter_context(session_bus())
        loaded = {each: driver.environment[each] for each in ("LD_LIBRARY_PATH", "FAKE_NVML_STATE")}
        ends.enter_context(patch.dict(os.environ, loaded | {"DBUS_SESSION_BUS_ADDRESS": bus}))
        ends.enter_context(_running(["gamemoded"]))
        window = ends.enter_context(WindowProcess(name, screen, ground, gpu_worker.WORKER))
        window.train(*addresses)
        for cause in get_args(Cause):
            yield _yielding(window, ground, driver, bus, cause)
            window.ask("pause")  # which is called Resume by now
        window.quit()


def _yielding(window: WindowProcess, ground: Ground, driver: FakeNvml, bus: str, cause: Cause) -> Yielding:
    since = len(window.seen())
    first = window.wait_for(tells_a_sample, ground.limit(_BACK_SECONDS), since)
    time.sleep(ground.limit(_SETTLED_SECONDS))
    with _other_program(ground, driver) if cause == "gpu" else _game(bus):
        began = time.monotonic()
        window.until(lambda state: state["is_held"], _LIMIT_SECONDS)
        seen = time.monotonic()
        window.until(lambda state: not state["is_worker_running"], _LIMIT_SECONDS)
        free = time.monotonic()
    pausing = pausing_of(Track(window.seen()[since:]), ground, seen, free, began=first.at, way="rule")
    return Yielding(cause, seen - began, pausing)


@contextmanager
def _other_program(ground: Ground, driver: FakeNvml) -> Iterator[None]:
    """A real program, of which the driver says at each sample that it uses most of the GPU."""

    def sample(pid: int, at: int) -> None:
        driver.says(_GPU, f"use 0 {pid} 90 {at}")

    try:
        with gpu_user(ground.folder, sample, _SAMPLE_SECONDS):
            yield
    finally:
        driver.says(_GPU)


@contextmanager
def _game(bus: str) -> Iterator[None]:
    """A program that does what libgamemode does in a game."""
    with _running(["sleep", "600"]) as game, open_dbus_connection(bus) as connection:
        address = DBusAddress(_GAME_MODE_PATH, _GAME_MODE, _GAME_MODE)
        call = new_method_call(address, "RegisterGame", "i", (game.pid,))
        if connection.send_and_get_reply(call, timeout=_ANSWER_SECONDS).body != (0,):
            raise NotMeasured("GameMode does not take the game")
        yield


@contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def gpu_yield_rows(measured: GpuYieldMeasured) -> list[Row]:
    """The slowest of each: seen, no more computing, memory free."""
    return [row for cause in get_args(Cause) for row in _rows(cause, measured)]


def _rows(cause: Cause, measured: GpuYieldMeasured) -> list[Row]:
    them = [each for each in measured.yieldings if each.cause == cause]
    pausings = [each.pausing for each in them]
    most = MOST_SECONDS_TO_SEE[cause]
    seen = max((each.seen_seconds for each in them), default=None)
    from_then_on = f"{_NAMES[cause]}: from then on"
    return [
        figure_row(
            f"{_NAMES[cause]} → its rule asks for a pause", seen, "{:.2f} s", f"≤ {most:.0f} s", lambda it: it <= most
        ),
        computing_row(from_then_on, pausings),
        gone_row(from_then_on, pausings),
    ]
