"""What is seen of each of two GPUs: the real pynvml against a small C fake of the driver's library."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.answering_script import AnsweringScript
from tests.support.environment.fake_nvml import FakeNvml

_LOOK_AT_EACH = """
import json, sys
from core.availability.rules import AvailabilityRules
from core.observers.gpu import GpuObserver
rules, observers = AvailabilityRules(gpu_celsius=80), [GpuObserver(frozenset({index})) for index in (0, 1)]
for line in sys.stdin:
    seen = [observer.observe(rules) for observer in observers]
    print(json.dumps([[[use.program for use in each.gpu_uses], each.gpu_celsius] for each in seen]), flush=True)
"""


def test_each_observer_sees_its_own_gpu_alone(tmp_path: Path) -> None:
    driver = FakeNvml(tmp_path / "nvml")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
        driver.says(
            "gpu GPU-aaaa 8192 6144 51 NVIDIA GeForce RTX 3070",
            "gpu GPU-bbbb 24576 24000 38 NVIDIA TITAN RTX",
            f"use 1 {other.pid} 90 1000",
        )
        script = AnsweringScript(_LOOK_AT_EACH, driver.environment)
        assert script.ask("look") == [[[], 51.0], [["cat"], 38.0]]
        assert script.end() == 0
