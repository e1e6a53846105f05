"""What a GPU draws, measured on the side: the real pynvml against a small C fake of the driver's library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.energy import MAX_DEVICE_WATTS
from core.hardware.power_meter import STALE_SECONDS
from tests.support.answering_script import AnsweringScript
from tests.support.environment.fake_nvml import FakeNvml

OTHER = "gpu GPU-aaaa 8192 6144 71 NVIDIA GeForce RTX 3070"
OURS = "gpu GPU-bbbb 24576 24000 38 NVIDIA TITAN RTX"
_LOOK_AT_EVERY_LINE = """
import dataclasses, json, sys
from core.hardware.power_meter import PowerMeter
now = 0.0
meter = PowerMeter(1, lambda: now)
for line in sys.stdin:
    now, does_look = json.loads(line)
    if does_look:
        meter.look()
    reading = meter.reading
    print(json.dumps(None if reading is None else dataclasses.astuple(reading)), flush=True)
"""


@pytest.fixture
def fake(tmp_path: Path) -> FakeNvml:
    return FakeNvml(tmp_path / "nvml")


@pytest.fixture
def meter(fake: FakeNvml) -> Iterator[AnsweringScript]:
    script = AnsweringScript(_LOOK_AT_EVERY_LINE, fake.environment)
    yield script
    script.end()


def look(meter: AnsweringScript, at: float) -> Any:
    """Watts and joules after a look at that time, in seconds; ``None`` where there are none."""
    return meter.ask(json.dumps([at, True]))


def test_power_is_added_up_of_the_gpu_that_computes_and_its_mean_is_told(
    fake: FakeNvml, meter: AnsweringScript
) -> None:
    fake.says(OTHER, OURS, "busy 0 100 220000", "busy 1 100 300000")
    assert look(meter, 100.0) == [300.0, 0.0]
    assert look(meter, 110.0) == [300.0, 3000.0]
    fake.says(OTHER, OURS, "busy 0 100 220000", "busy 1 10 60000")
    assert look(meter, 120.0) == [220.0, 3600.0]


def test_what_was_drawn_while_the_driver_did_not_tell_is_not_counted(fake: FakeNvml, meter: AnsweringScript) -> None:
    fake.says(OTHER, OURS, "busy 1 100 300000")
    look(meter, 100.0)
    assert look(meter, 110.0) == [300.0, 3000.0]
    fake.says("fail nvmlDeviceGetCount_v2 999")
    assert look(meter, 120.0) == [300.0, 3000.0]
    assert look(meter, 110.0 + STALE_SECONDS + 1) is None
    fake.says(OTHER, OURS, "busy 1 100 300000")
    assert look(meter, 190.0) == [300.0, 3000.0 + 300.0 * (190.0 - 111.0 - STALE_SECONDS)]


def test_a_driver_that_hangs_and_a_sensor_that_cannot_be_right_tell_nothing(
    fake: FakeNvml, meter: AnsweringScript
) -> None:
    fake.says(OTHER, OURS, f"busy 1 100 {round(1000 * MAX_DEVICE_WATTS) + 1000}")
    assert look(meter, 100.0) is None
    fake.says(OTHER, OURS, "busy 1 100 300000")
    assert look(meter, 110.0) is not None
    assert meter.ask(json.dumps([110.0 + STALE_SECONDS + 1, False])) is None


def test_there_is_nothing_to_tell_without_a_driver_or_without_that_gpu(fake: FakeNvml, meter: AnsweringScript) -> None:
    fake.says("fail nvmlInitWithFlags 9")
    assert look(meter, 1.0) is None
    fake.says(OTHER, "busy 0 100 220000")
    assert look(meter, 2.0) is None
