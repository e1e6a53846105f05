"""What is seen of each of two GPUs: the real pynvml against a small C fake of the driver's library."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

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


_RTX = "gpu GPU-aaaa 8192 6144 {celsius} NVIDIA GeForce RTX 3070"
_DECIDE_AT_EACH = """
import json, sys
from dataclasses import replace
from core.availability.rules import AvailabilityRules
from core.client.availability_guard import AvailabilityGuard
from core.observers.gpu import GpuObserver
rules, observer = AvailabilityRules(gpu_celsius=60, gpu_share=0.2), GpuObserver(frozenset({0}))
posted, seconds = [], 0.0
guard = AvailabilityGuard(lambda: rules, lambda: replace(observer.observe(rules), monotonic=seconds), posted.append)
for line in sys.stdin:
    seconds += json.loads(line)
    guard.check()
    decided = posted[-1] if posted else None
    reason, pace = (decided.decision.reason, decided.pace) if decided else (None, None)
    asks = reason and [reason.rule, reason.subject, reason.is_over, reason.can_see]
    print(json.dumps([asks, pace and [pace.compute_share, pace.cause, pace.is_measured]]), flush=True)
"""


class Guarded:
    """A process that decides by the owner's rules as a client does, by a clock of the test's own."""

    def __init__(self, driver: FakeNvml) -> None:
        self.script = AnsweringScript(_DECIDE_AT_EACH, driver.environment)

    def after(self, seconds: float) -> Any:
        """Let that time pass: what asks for a pause (rule, program, is over, can see), and the pace."""
        return self.script.ask(json.dumps(seconds))


@pytest.mark.parametrize(
    "gone", [(), ("lost 0", _RTX.format(celsius=70)), ("fail nvmlInitWithFlags 9", "fail nvmlDeviceGetCount_v2 999")]
)
def test_a_gpu_that_is_lost_in_mid_run_keeps_the_pause_and_the_pace_until_it_is_seen_again(
    tmp_path: Path, gone: tuple[str, ...]
) -> None:
    driver = FakeNvml(tmp_path / "nvml")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
        driver.says(_RTX.format(celsius=70))
        guarded = Guarded(driver)
        for _ in range(60):
            _, slow = guarded.after(2)
        assert slow[0] < 0.9 and slow[1:] == ["heat", True]
        driver.says(*gone)
        assert guarded.after(2) == [None, [slow[0], "heat", False]]
        assert guarded.after(3600) == [None, [slow[0], "heat", False]], "it is no reason for a pause, or for speed"
        driver.says(_RTX.format(celsius=58), f"use 0 {other.pid} 90 1000")
        guarded.after(2)
        driver.says(_RTX.format(celsius=58), f"use 0 {other.pid} 90 2000")
        assert guarded.after(2)[0] == ["gpu", "cat", False, True]
        driver.says(*gone)
        assert guarded.after(2)[0] == guarded.after(3600)[0] == ["gpu", "cat", False, False]
        driver.says(_RTX.format(celsius=40))
        assert guarded.after(2)[0] == ["gpu", "cat", True, True], "seen again, it rests"
        assert guarded.after(600)[0] is None
        assert guarded.script.end() == 0
