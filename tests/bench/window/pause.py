"""How soon Pause, or one of the owner's rules, gives the computer back, with a real run."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Literal, get_args

from core.availability.rules import AvailabilityRules
from core.files.folders import HOME_VARIABLE
from core.protocol.events import Progress
from core.records.settings import Settings
from tests.bench.peers.metrics import Track, samples_per_second
from tests.bench.peers.pair import PATIENCE_EPOCHS, START_SECONDS, addresses_of, first_peer
from tests.bench.peers.pair_run import RATE_SECONDS, last_sample_at
from tests.bench.peers.peer_process import COMMAND_LINE
from tests.bench.setup import Ground, NotMeasured
from tests.bench.window.process import WindowProcess, settle_home, tells_a_sample
from tests.bench.window.virtual_screen import Screen
from tests.support.checkout import ROOT
from tests.support.computer import named_program

MOMENTS = (0.5, 0.1)  # shares of an epoch: while nothing is averaged, and while the epoch before still is
GONE_SECONDS = 15.0
Way = Literal["click", "command", "rule"]
_NAME = "window_pause"
_EPOCHS = 2  # the one in which it came, and one that it did from its beginning


@dataclass(frozen=True)
class Pausing:
    """Seconds from the click, from the start of `workerbee pause`, or from the start of a program that a rule names.

    Until the last sample, and until nobody is left of the worker, who held the memory.
    """

    last_sample_seconds: float
    gone_seconds: float
    micro_batch_seconds: float
    by: Way = "click"


def pausings(screen: Screen, ground: Ground, times: int) -> list[Pausing]:
    """One volunteer in the window joins an organiser, and pauses and resumes."""
    rules = AvailabilityRules(programs=(named_program.NAME,), memory_pressure=None)
    settle_home(ground, _NAME, Settings(device="cpu", threads=ground.threads, language="en", availability=rules))
    with first_peer("workerbee", ground) as organiser:
        addresses = addresses_of(organiser, ground)
        with WindowProcess(_NAME, screen, ground) as window:
            window.train(*addresses)
            done: list[Pausing] = []
            for number in range(times):
                for way in get_args(Way):
                    done.append(_pause(window, ground, MOMENTS[number % len(MOMENTS)], way))
                    window.ask("pause")  # which is called Resume by now
            window.quit()
    return done


def _pause(window: WindowProcess, ground: Ground, moment: float, way: Way) -> Pausing:
    """Train until an epoch has begun that was trained from its beginning; then ask for a pause."""
    since = len(window.seen())
    first = window.wait_for(tells_a_sample, ground.limit(START_SECONDS), since)
    assert isinstance(first.event, Progress)
    wanted = first.event.epoch + _EPOCHS
    seconds = ground.limit(2 * PATIENCE_EPOCHS * _EPOCHS * ground.epoch_seconds)
    window.wait_for(lambda event: isinstance(event, Progress) and event.epoch >= wanted, seconds, since)
    time.sleep(ground.limit(moment * ground.epoch_seconds))
    with contextlib.ExitStack() as ends:
        asked = _ask_for_pause(window, ground, way, ends)
        window.until(lambda state: not state["is_worker_running"], GONE_SECONDS)
        gone = time.monotonic()
    return pausing_of(Track(window.seen()[since:]), ground, asked, gone, way=way)


def pausing_of(
    track: Track, ground: Ground, asked: float, gone: float, began: float = 0.0, way: Way = "click"
) -> Pausing:
    """That of a worker that had ``began`` to compute before, on the monotonic clock as the others."""
    last_sample = last_sample_at(track)
    rate = samples_per_second(track, max(began, asked - RATE_SECONDS), asked)
    micro_batch = ground.manifest.collaboration.sure_batch_size
    return Pausing(max(0.0, last_sample - asked), gone - asked, micro_batch / rate if rate else 0.0, way)


def _ask_for_pause(window: WindowProcess, ground: Ground, way: Way, ends: contextlib.ExitStack) -> float:
    """When it was, in seconds on the monotonic clock; the program of the rule runs until ``ends`` does."""
    match way:
        case "click":
            return float(window.ask("pause")["at"])
        case "command":
            return _type_pause(ground)
        case "rule":
            ends.enter_context(named_program.running_program(ground.folder))
            return time.monotonic()


def _type_pause(ground: Ground) -> float:
    """When the command was started, in seconds on the monotonic clock."""
    began = time.monotonic()
    home = {HOME_VARIABLE: str(ground.folder / f"{_NAME}.home")}
    command = [sys.executable, "-m", COMMAND_LINE, "pause"]
    done = subprocess.run(command, env=os.environ | home, cwd=ROOT, capture_output=True, timeout=GONE_SECONDS)
    if done.returncode:
        raise NotMeasured(f"workerbee pause: {done.stderr.decode()}")
    return began
