"""The window under measurement: a process with a back door, and with as much of a past as is wanted."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.desktop.launch_request import MINIMISED
from core.files.folders import Folders
from core.protocol.events import AnyEvent, Progress
from core.records.settings import Settings, save_settings
from tests.bench.peers.peer_process import PeerProcess
from tests.bench.setup import Ground, NotMeasured, TooLate
from tests.bench.window.virtual_screen import Screen
from tests.support.computer.memory_use import memory_use

LOOK_SECONDS = 0.05
ANSWER_SECONDS = 20.0
START_SECONDS = 30.0
FOUND_SECONDS = 60.0
GONE_SECONDS = 15.0


@dataclass(frozen=True)
class Use:
    """What a process has taken: memory (see `MemoryUse`; ``memory_bytes`` are the PSS), and time on cores."""

    memory_bytes: int
    anonymous_bytes: int
    cpu_seconds: float


def tells_a_sample(event: AnyEvent) -> bool:
    """Whether the event says that something was computed."""
    return isinstance(event, Progress) and event.contributed_samples > 0


class WindowProcess(PeerProcess):
    """A context like the others; its worker is the real one where no other is named.

    With ``is_at_login`` it is started as the desktop starts it at login.
    """

    def __init__(
        self, name: str, screen: Screen, ground: Ground, worker: Sequence[str] = (), *, is_at_login: bool = False
    ) -> None:
        self._door = screen.door
        self._door.unlink(missing_ok=True)
        cores = ground.cores[0] | ground.cores[1] if worker else ground.cores[1]
        words = [*([MINIMISED] if is_at_login else []), str(self._door), *worker]
        super().__init__(name, "tests.bench.window.instrumented_window", words, cores, ground.folder)

    def __enter__(self) -> WindowProcess:
        return self

    def ask(self, *words: str) -> dict[str, Any]:
        """Have something done in the window, and wait for the answer."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as guest:
            guest.settimeout(ANSWER_SECONDS)
            try:
                guest.connect(str(self._door))
                guest.sendall(" ".join(words).encode() + b"\n")
                answer = guest.makefile("rb").readline()
            except OSError as error:
                raise NotMeasured(f"{self.name}, {words[0]}: {error!r}") from error
        if not answer:
            raise NotMeasured(f"{self.name}, {words[0]}: no answer; see its log")
        read: dict[str, Any] = json.loads(answer)
        return read

    def until(self, is_so: Callable[[dict[str, Any]], bool], seconds: float) -> None:
        """Wait until the window is so; raises TooLate."""
        deadline = time.monotonic() + seconds
        while not is_so(state := self.ask("state")):
            if time.monotonic() > deadline:
                raise TooLate(f"after {seconds:.0f} s {self.name} was still {state}")
            time.sleep(LOOK_SECONDS)

    def join(self, *address: str) -> None:
        """Once it is there: the first page, and what follows up to the second."""
        deadline = time.monotonic() + START_SECONDS
        while not self._door.exists():
            if time.monotonic() > deadline:
                raise TooLate(f"{self.name} has not opened")
            time.sleep(LOOK_SECONDS)
        self.until(lambda state: state["knows_devices"] and state["is_seen"], START_SECONDS)
        self.ask("join", *address)
        self.until(lambda state: bool(state["can_start"]), FOUND_SECONDS)

    def train(self, *address: str) -> None:
        """The main path, up to the third page."""
        self.join(*address)
        self.ask("start")
        self.until(_is_training, FOUND_SECONDS)

    def quit(self) -> None:
        """As a person does."""
        with contextlib.suppress(NotMeasured):
            self.ask("quit")
        self.wait_until_gone(GONE_SECONDS)

    def use(self) -> Use:
        """By the window's process alone, without its worker."""
        memory = memory_use(self.pid)
        return Use(memory.pss_bytes, memory.anonymous_bytes, cpu_seconds(self.pid))


def settle_home(ground: Ground, name: str, settings: Settings) -> Folders:
    """The home of the window of that name, with those choices in it."""
    folders = Folders.below(ground.folder / f"{name}.home")
    folders.prepare()
    save_settings(folders.settings_file, settings)
    return folders


def fake_worker(*words: str) -> list[str]:
    """The command of a worker that computes nothing."""
    return [sys.executable, "-m", "tests.bench.window.simulated_worker", *words]


def _is_training(state: dict[str, Any]) -> bool:
    return bool(state["page"] == "training" and state["phase"] == "training")


def cpu_seconds(pid: int) -> float:
    """Of all its threads, those that have ended too; Linux numbers the clocks of processes so."""
    return time.clock_gettime(~pid << 3 | 2)
