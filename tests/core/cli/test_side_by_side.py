"""Two `workerbee join` side by side, each on a GPU of its own: a driver with two GPUs, and a fake engine."""

from __future__ import annotations

import contextlib
import itertools
import json
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from core.availability.presets import with_preset
from core.availability.rules import AvailabilityRules
from core.files.folders import Folders
from core.protocol.codec import decode_command
from core.protocol.commands import Start
from core.records.settings import Settings, save_settings
from tests.support.cli_process import ADDRESS, LIMIT_SECONDS, argv, environment, fake, workerbee
from tests.support.environment.fake_nvml import FakeNvml
from tests.support.environment.x11_desktop import wait_for
from tests.support.peers import fake_worker

GPUS = ("gpu GPU-aaaa 8192 6144 51 NVIDIA GeForce RTX 3070", "gpu GPU-bbbb 8192 6144 51 NVIDIA GeForce RTX 3070")


@contextlib.contextmanager
def joining(folder: Path, driver: FakeNvml, device: str) -> Iterator[Path]:
    """The command on that device, with a journal of its own; what it prints is in the file."""
    place = folder / device.replace(":", "")
    place.mkdir()
    words = argv(["join", ADDRESS, "--device", device, "--yes", "--json"], fake(place, "good"))
    with (place / "log").open("w") as log:
        process = subprocess.Popen(words, env=driver.environment | environment(folder), stdout=log, stderr=log)
    try:
        yield place / "log"
    finally:
        process.terminate()
        process.wait(LIMIT_SECONDS)


def told(log: Path, event: str) -> list[dict[str, Any]]:
    """The objects of that kind which it has printed."""
    objects = (json.loads(line) for line in log.read_text().splitlines() if line.startswith("{"))
    return [each for each in objects if each["event"] == event]


def device_of(log: Path) -> str:
    """On which device its worker was told to train."""
    lines = (log.parent / "journal").read_bytes().splitlines()
    commands = [decode_command(line) for line in lines if line != fake_worker.BIRTH.encode()]
    return next(command.device for command in commands if isinstance(command, Start))


def test_each_has_its_own_gpu_and_pauses_for_that_alone(tmp_path: Path) -> None:
    rules = msgspec.structs.replace(with_preset(AvailabilityRules(), "always"), gpu_share=0.2)
    save_settings(Folders.below(tmp_path / "home").settings_file, Settings(availability=rules))
    driver, samples = FakeNvml(tmp_path / "nvml"), itertools.count(1000)
    driver.says(*GPUS)
    with (
        subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other,
        joining(tmp_path, driver, "cuda:0") as first,
        joining(tmp_path, driver, "cuda:1") as second,
    ):
        for log in (first, second):
            wait_for(partial(told, log, "progress"), "training", LIMIT_SECONDS)
        assert (device_of(first), device_of(second)) == ("cuda:0", "cuda:1")

        def is_second_paused() -> bool:
            driver.says(*GPUS, f"use 1 {other.pid} 90 {next(samples)}")
            return any(each["rule"] == "gpu" for each in told(second, "availability"))

        wait_for(is_second_paused, "a pause because of the other program", LIMIT_SECONDS)
        wait_for(lambda: told(second, "left"), "the second worker's goodbye", LIMIT_SECONDS)
        here = len(told(first, "progress"))
        wait_for(lambda: len(told(first, "progress")) > here, "the first goes on", LIMIT_SECONDS)
        listed = json.loads(workerbee(tmp_path, "pauses", "--days", "1", "--json").out)["intervals"]
        assert [each["device"] for each in listed if each["rule"] == "gpu"] == ["cuda:1"]
        assert {each["state"] for each in listed if each["rule"] == "gpu"} == {"paused"}
        lines = workerbee(tmp_path, "pauses").out.splitlines()
        assert [line.partition(" since ")[0] for line in lines if "(cat)" in line] == ["GPU 1:"]
        assert all(each["free"] for each in told(first, "availability")) and not told(first, "left")
