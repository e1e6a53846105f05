"""Looking at the devices again and again, whatever the driver does; the real pynvml, a fake driver in C."""

from __future__ import annotations

import dataclasses
import json
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.hardware.monitor import DeviceMonitor, DevicesSeen
from tests.support.answering_script import AnsweringScript
from tests.support.environment.fake_nvml import FakeNvml

RTX = "gpu GPU-aaaa 8192 6144 51 NVIDIA GeForce RTX 3070"
TITAN = "gpu GPU-bbbb 24576 24000 38 NVIDIA TITAN RTX"
BUSY = "busy 0 87 215500"
GONE = ("fail nvmlInitWithFlags 9", "fail nvmlDeviceGetCount_v2 9")
PATIENCE_SECONDS = 20.0
_WATCH = """
import dataclasses, json, sys
from core.hardware.monitor import DeviceMonitor
def tell(seen):
    print(json.dumps(dataclasses.asdict(seen)), flush=True)
watch = DeviceMonitor(tell, 0.1)
watch.start()
for line in sys.stdin:
    if line.strip() == "stop":
        watch.stop()
        print("stopped", flush=True)
    elif line.strip() == "start":
        watch.start()
watch.stop()
"""


class Watching(AnsweringScript):
    """A process that prints whatever its watch sees."""

    def __init__(self, environment: dict[str, str]) -> None:
        super().__init__(_WATCH, environment)
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)

    def line(self) -> str:
        """The next thing that it prints."""
        return self._lines.get(timeout=PATIENCE_SECONDS)

    def until(self, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first sight of that kind."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            seen: dict[str, Any] = json.loads(self.line())
            if is_so(seen):
                return seen
        raise AssertionError("it was never seen")

    def end(self) -> int:
        """Close its stdin and wait for it; the exit code."""
        with self.process:
            assert self.process.stdin
            self.process.stdin.close()
            self._reader.join(PATIENCE_SECONDS)
        return self.process.returncode


def gpus(seen: dict[str, Any]) -> list[dict[str, Any]]:
    """Without the CPU, which must be the last."""
    found: list[dict[str, Any]] = seen["devices"]
    assert found[-1]["kind"] == "cpu"
    return found[:-1]


def sees(*uuids: str, is_answering: bool = True) -> Callable[[dict[str, Any]], bool]:
    """Whether these GPUs are seen."""

    def is_so(seen: dict[str, Any]) -> bool:
        found = [gpu["uuid"] for gpu in gpus(seen)]
        return (found, seen["is_driver_answering"]) == (list(uuids), is_answering)

    return is_so


@pytest.fixture
def driver(tmp_path: Path) -> FakeNvml:
    driver = FakeNvml(tmp_path / "nvml")
    driver.says(RTX, BUSY)
    return driver


@pytest.fixture
def watching(driver: FakeNvml) -> Iterator[Watching]:
    watching = Watching(driver.environment)
    yield watching
    assert watching.end() == 0


def test_what_changes_is_seen_and_the_conversation_stays_open(driver: FakeNvml, watching: Watching) -> None:
    [gpu] = gpus(watching.until(sees("GPU-aaaa")))
    assert (gpu["temperature_c"], gpu["utilisation"], gpu["power_watts"]) == (51, 0.87, 215.5)
    driver.says(RTX, "busy 0 12 30000")
    assert watching.until(lambda seen: gpus(seen)[0]["utilisation"] == 0.12)
    assert driver.inits == 1


def test_every_sight_has_its_time(watching: Watching) -> None:
    first, second = json.loads(watching.line()), json.loads(watching.line())
    assert time.time() - PATIENCE_SECONDS < first["at"] < second["at"] <= time.time()


def test_a_driver_that_vanishes_and_comes_back_is_seen(driver: FakeNvml, watching: Watching) -> None:
    watching.until(sees("GPU-aaaa"))
    driver.says(RTX, *GONE)
    watching.until(sees())
    driver.says(RTX)
    watching.until(sees("GPU-aaaa"))


def test_a_gpu_that_is_lost_is_left_out_and_may_come_back(driver: FakeNvml, watching: Watching) -> None:
    driver.says(RTX, TITAN)
    watching.until(sees("GPU-aaaa", "GPU-bbbb"))
    driver.says(RTX, TITAN, "lost 0")
    watching.until(sees("GPU-bbbb"))
    driver.says(RTX, TITAN)
    watching.until(sees("GPU-aaaa", "GPU-bbbb"))


@pytest.mark.parametrize("call", ["nvmlDeviceGetCount_v2", "nvmlDeviceGetTemperatureV", "nvmlDeviceGetUUID"])
def test_a_driver_that_hangs_is_told_and_what_changes_is_no_longer_claimed(
    driver: FakeNvml, watching: Watching, call: str
) -> None:
    watching.until(sees("GPU-aaaa"))
    driver.says(RTX, BUSY, f"hang {call}")
    for _ in range(3):
        seen = watching.until(sees("GPU-aaaa", is_answering=False))
        [gpu] = gpus(seen)
        assert (gpu["name"], gpu["memory_total_bytes"]) == ("NVIDIA GeForce RTX 3070", 8192 << 20)
        assert (gpu["memory_free_bytes"], gpu["temperature_c"], gpu["power_watts"]) == (None, None, None)
    driver.says(RTX, BUSY)
    [gpu] = gpus(watching.until(sees("GPU-aaaa")))
    assert gpu["temperature_c"] == 51


def test_a_driver_that_hangs_from_the_beginning_leaves_the_cpu_and_ends_with_the_process(
    driver: FakeNvml,
) -> None:
    driver.says(RTX, "hang nvmlInitWithFlags")
    watching = Watching(driver.environment)
    watching.until(sees(is_answering=False))
    assert watching.end() == 0


def test_a_stopped_watch_is_silent_until_it_is_started_again(driver: FakeNvml, watching: Watching) -> None:
    watching.until(sees("GPU-aaaa"))
    watching.say("stop")
    while watching.line() != "stopped\n":
        pass
    driver.says(RTX, TITAN)
    watching.say("start")
    assert sees("GPU-aaaa", "GPU-bbbb")(json.loads(watching.line())), "it went on after it had been stopped"


def test_without_any_driver_there_is_the_cpu(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    watching = Watching(environment | {"CUDA_VISIBLE_DEVICES": ""})
    seen = json.loads(watching.line())
    assert seen["is_driver_answering"]
    assert seen["devices"][-1]["kind"] == "cpu"
    assert watching.end() == 0


def watched(period_seconds: float) -> tuple[DeviceMonitor, queue.Queue[DevicesSeen]]:
    """A watch in this process, which never asks for a change of the driver."""
    seen: queue.Queue[DevicesSeen] = queue.Queue()
    return DeviceMonitor(seen.put, period_seconds), seen


def test_a_shorter_period_counts_at_once() -> None:
    watch, seen = watched(3_600.0)
    watch.start()
    watch.start()
    assert seen.get(timeout=PATIENCE_SECONDS).devices[-1].kind == "cpu"
    watch.period_seconds = 0.0
    assert watch.period_seconds == 0.0
    for _ in range(3):
        seen.get(timeout=PATIENCE_SECONDS)
    watch.stop()
    watch.stop()


def test_whoever_is_told_may_fail_or_stop_the_watch(caplog: pytest.LogCaptureFixture) -> None:
    calls: queue.Queue[DevicesSeen] = queue.Queue()
    is_stopped = threading.Event()

    def fail_then_stop(seen: DevicesSeen) -> None:
        calls.put(seen)
        if calls.qsize() == 1:
            raise RuntimeError("the window is gone")
        watch.stop()
        is_stopped.set()

    before = set(threading.enumerate())
    watch = DeviceMonitor(fail_then_stop, 0.05)
    watch.start()
    assert is_stopped.wait(PATIENCE_SECONDS)
    for thread in set(threading.enumerate()) - before:
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()
    assert calls.qsize() == 2
    assert "the window is gone" in caplog.text


def test_what_is_seen_is_a_value() -> None:
    seen = DevicesSeen((), True, 1.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        seen.at = 2.0  # type: ignore[misc]
