"""What other programs compute on a GPU: the real pynvml against a small C fake of the driver's library."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from core.observers.gpu_use_duration import Sample, UseDuration
from tests.support.answering_script import AnsweringScript
from tests.support.computer.fake_wsl import inside_wsl
from tests.support.environment.fake_nvml import FakeNvml

RTX = "gpu GPU-aaaa 8192 6144 51 NVIDIA GeForce RTX 3070"
TITAN = "gpu GPU-bbbb 24576 24000 38 NVIDIA TITAN RTX"
NOBODY = 4_194_300  # above what Linux gives to processes unless told otherwise
_LOOK_AT_EVERY_LINE = """
import dataclasses, json, sys
from core.observers.gpu_uses import GpuUses
uses = GpuUses()
for line in sys.stdin:
    gpus, limit = json.loads(line)
    found = uses.look(None if gpus is None else frozenset(gpus), limit)
    print(json.dumps(None if found is None else [dataclasses.astuple(use) for use in found]), flush=True)
"""


class Looker(AnsweringScript):
    """A process that looks whenever it is asked; it stands for the client."""

    def __init__(self, environment: dict[str, str], code: str = _LOOK_AT_EVERY_LINE) -> None:
        super().__init__(code, environment)
        self.pid = self.process.pid

    def look(self, gpus: list[int] | None = None) -> Any:
        """The uses that it sees, each as [GPU, program, share]."""
        found = self.ask(json.dumps([gpus, None]))
        assert found is None or all(use[3] is None for use in found), "without a limit nothing is timed"
        return found and [use[:3] for use in found]

    def lasted(self) -> float | None:
        """For how long the only use that it sees has reached 20 %."""
        [use] = self.ask(json.dumps([None, 0.2]))
        return use[3]  # type: ignore[no-any-return]


@pytest.fixture
def fake(tmp_path: Path) -> FakeNvml:
    return FakeNvml(tmp_path / "nvml")


@pytest.fixture
def looker(fake: FakeNvml) -> Iterator[Looker]:
    looker = Looker(fake.environment)
    yield looker
    looker.end()


def ago(seconds: float) -> int:
    """A moment so many seconds ago, as the driver writes it."""
    return round((time.time() - seconds) * 1e6)


@contextmanager
def blender() -> Iterator[int]:
    """A program that the client has not started."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        yield process.pid
        assert process.stdin
        process.stdin.close()


def test_another_programs_share_is_seen_and_our_own_is_not(fake: FakeNvml, looker: Looker) -> None:
    with blender() as other:
        fake.says(RTX, f"use 0 {other} 35 1000", f"use 0 {looker.pid} 60 1000")
        assert looker.look() == [[0, "cat", 0.35]]


def test_only_the_gpus_that_training_uses_count(fake: FakeNvml, looker: Looker) -> None:
    with blender() as other:
        fake.says(RTX, TITAN, f"use 0 {other} 35 1000", f"use 1 {other} 20 1000")
        assert looker.look([1]) == [[1, "cat", 0.2]]
        fake.says(RTX, TITAN, f"use 0 {other} 35 2000", f"use 1 {other} 20 2000")
        assert looker.look([]) == []
        assert looker.look() == [[0, "cat", 0.35], [1, "cat", 0.2]]


def test_the_latest_sample_counts_and_none_counts_twice(fake: FakeNvml, looker: Looker) -> None:
    with blender() as other:
        fake.says(RTX, f"use 0 {other} 90 2000", f"use 0 {other} 10 1000")
        assert looker.look() == [[0, "cat", 0.9]]
        assert looker.look() == []
        fake.says(RTX, f"use 0 {other} 90 2000", f"use 0 {other} 5 3000")
        assert looker.look() == [[0, "cat", 0.05]]


def test_a_use_says_since_when_it_has_reached_the_limit_by_the_driver_s_own_timestamps(
    fake: FakeNvml, looker: Looker
) -> None:
    with blender() as other:
        fake.says(RTX, f"use 0 {other} 5 {ago(3.0)}")
        assert looker.lasted() is None, "below the limit nothing is timed"
        begun = ago(1.5)
        older = [f"use 0 {other} {share} {at}" for share, at in ((5, ago(1.6)), (90, begun), (40, ago(0.8)))]
        fake.says(RTX, *older, f"use 0 {other} 90 {ago(0.3)}")
        asked = time.time()
        lasted = looker.lasted()
        assert lasted is not None and asked - begun / 1e6 - 0.05 <= lasted <= time.time() - begun / 1e6 + 0.05
        fake.says(RTX, f"use 0 {other} 90 {ago(0.2)}")
        later = looker.lasted()
        assert later is not None and later > lasted, "it goes on"
        fake.says(RTX, f"use 0 {other} 5 {ago(0.1)}", f"use 0 {other} 90 {ago(0)}")
        anew = looker.lasted()
        assert anew is not None and anew < lasted, "below the limit in between, it began anew"


def test_one_sample_since_the_last_look_tells_that_it_has_computed_for_its_share_of_that_time(
    fake: FakeNvml, looker: Looker
) -> None:
    with blender() as other:
        fake.says(RTX)
        before = time.monotonic()
        assert looker.look() == []
        looked = time.monotonic()
        while time.monotonic() < looked + 0.5:  # time that the sample is about
            time.sleep(0.05)
        fake.says(RTX, f"use 0 {other} 50 {ago(0)}")
        asked = time.monotonic()
        lasted = looker.lasted()
        assert lasted is not None and 0.5 * (asked - looked) - 0.1 <= lasted
        assert lasted <= 0.5 * (asked - before) + (time.monotonic() - asked) + 0.1


def test_a_use_goes_on_without_a_newer_sample_while_the_last_one_is_younger_than_a_second(
    fake: FakeNvml, looker: Looker
) -> None:
    assert UseDuration(Sample(0.9, time.monotonic()), None).still_holds
    with blender() as other:
        fake.says(RTX, f"use 0 {other} 90 {ago(1.1)}")
        assert looker.look() == [[0, "cat", 0.9]]
        assert looker.look() == []
        for _ in range(50):  # a busy computer may need more than a second for both looks
            fake.says(RTX, f"use 0 {other} 90 {ago(0)}")
            looker.look()
            if looker.look() == [[0, "cat", 0.9]]:
                break
        else:
            pytest.fail("it was forgotten at once")


@pytest.mark.parametrize("stamp", ["1", "1000", str(2**63)])
def test_a_timestamp_that_cannot_be_times_nothing(fake: FakeNvml, looker: Looker, stamp: str) -> None:
    with blender() as other:
        fake.says(RTX, f"use 0 {other} 90 {stamp}")
        assert looker.lasted() is None


def test_nobody_and_nonsense_are_no_use(fake: FakeNvml, looker: Looker) -> None:
    with blender() as other:
        for nobody in ("", "quiet"):  # drivers say it in two ways
            fake.says(RTX, nobody)
            assert looker.look() == []
        fake.says(RTX, f"use 0 {NOBODY} 50 1000", f"use 0 {other} 4000 1000")
        assert looker.look() == []


@pytest.mark.parametrize(
    "fault",
    ["fail nvmlInitWithFlags 9", "fail nvmlDeviceGetCount_v2 999", "lost 0", "fail nvmlDeviceGetProcessUtilization 3"],
)
def test_a_driver_that_fails_in_the_middle_cannot_be_seen_until_it_answers_again(
    fake: FakeNvml, looker: Looker, fault: str
) -> None:
    with blender() as other:
        fake.says(RTX, f"use 0 {other} 35 1000")
        assert looker.look() == [[0, "cat", 0.35]]
        fake.says(RTX, fault, f"use 0 {other} 35 2000")
        looker.look()
        looker.look()
        assert looker.look() is None or fault.startswith("fail nvmlInit")
        fake.says(RTX, f"use 0 {other} 40 3000")
        assert looker.look() == [[0, "cat", 0.4]]


@pytest.mark.parametrize("nobody", ["", "quiet"])
def test_in_wsl_a_driver_that_lists_no_processes_is_not_taken_for_a_gpu_that_nobody_uses(
    fake: FakeNvml, tmp_path: Path, nobody: str
) -> None:
    fake.says(RTX, nobody)
    looker = Looker(fake.environment, inside_wsl(tmp_path / "root", _LOOK_AT_EVERY_LINE))
    assert looker.look() is None
    looker.end()


def test_without_a_driver_nothing_can_be_seen(tmp_path: Path) -> None:
    empty = FakeNvml(tmp_path / "nvml")
    empty.says("fail nvmlInitWithFlags 9")
    looker = Looker(empty.environment)
    assert looker.look() is None
    looker.end()
