"""Temperature, power and fan: the real pynvml against a small C fake of the driver's library."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.answering_script import AnsweringScript
from tests.support.environment.fake_nvml import FakeNvml

RTX = "gpu GPU-aaaa 8192 6144 71 NVIDIA GeForce RTX 3070"
TITAN = "gpu GPU-bbbb 24576 24000 38 NVIDIA TITAN RTX"
_READ_AT_EVERY_LINE = """
import dataclasses, json, sys
from core.hardware.gpu_sensors import GpuSensors
sensors = GpuSensors()
for line in sys.stdin:
    gpus = json.loads(line)
    reading = sensors.look(None if gpus is None else frozenset(gpus))
    print(json.dumps(dataclasses.astuple(reading)), flush=True)
"""


@pytest.fixture
def fake(tmp_path: Path) -> FakeNvml:
    return FakeNvml(tmp_path / "nvml")


@pytest.fixture
def reader(fake: FakeNvml) -> Iterator[AnsweringScript]:
    script = AnsweringScript(_READ_AT_EVERY_LINE, fake.environment)
    yield script
    script.end()


def read(reader: AnsweringScript, gpus: list[int] | None = None) -> Any:
    """°C, watts and the fan's per cent of those GPUs."""
    return reader.ask(json.dumps(gpus))


def test_power_is_the_mean_since_the_last_look_because_bursts_hide_between_two(
    fake: FakeNvml, reader: AnsweringScript
) -> None:
    fake.says(RTX, "busy 0 100 220000", "cooling 0 35", "energy 0 1000000")
    asked = time.monotonic()
    assert read(reader) == [71.0, 220.0, 35.0]
    answered = time.monotonic()
    fake.says(RTX, "busy 0 0 30000", "cooling 0 40", "energy 0 1100000")
    asked_again = time.monotonic()
    celsius, watts, fan = read(reader)
    assert (celsius, fan) == (71.0, 40.0)
    assert 100.0 / (time.monotonic() - asked) <= watts <= 100.0 / (asked_again - answered)


def test_a_gpu_without_a_fan_or_a_count_of_energy_still_tells_the_rest(fake: FakeNvml, reader: AnsweringScript) -> None:
    fake.says(RTX, "busy 0 100 220000")
    assert read(reader) == [71.0, 220.0, None]


def test_only_the_gpus_that_train_are_read_and_the_warmest_counts(fake: FakeNvml, reader: AnsweringScript) -> None:
    fake.says(RTX, TITAN, "busy 0 100 220000", "busy 1 3 15000")
    assert read(reader, [1]) == [38.0, 15.0, None]
    assert read(reader) == [71.0, 220.0, None]
    assert read(reader, []) == [None, None, None]


def test_without_a_driver_nothing_is_known(fake: FakeNvml, reader: AnsweringScript) -> None:
    fake.says("fail nvmlInitWithFlags 9")
    assert read(reader) == [None, None, None]
