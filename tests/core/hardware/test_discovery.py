"""Finding the GPUs and the CPU, with the real pynvml against a small C fake of the driver's library."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from core.errors import ErrorKind, UserError
from core.hardware.device import Device, DeviceUser
from core.hardware.discovery import choose_device, find_devices, usable_devices
from tests.support.answering_script import AnsweringScript
from tests.support.computer.fake_wsl import inside_wsl
from tests.support.environment.fake_nvml import FakeNvml

RTX = "gpu GPU-aaaa 8192 6144 51 NVIDIA GeForce RTX 3070"
BUSY = "busy 0 87 215500\nenergy 0 5000000"
TITAN = "gpu GPU-bbbb 24576 24000 38 NVIDIA TITAN RTX"
_ASK_AT_EVERY_LINE = """
import dataclasses, json, sys, threading, time
from core.hardware.discovery import find_devices
for line in sys.stdin:
    begun = time.monotonic()
    found = [dataclasses.asdict(device) for device in find_devices(float(line))]
    seconds = time.monotonic() - begun
    print(json.dumps({"devices": found, "seconds": seconds, "threads": threading.active_count()}), flush=True)
"""


class Asker(AnsweringScript):
    """A process that looks for devices whenever it is asked."""

    def __init__(self, environment: dict[str, str], code: str = _ASK_AT_EVERY_LINE) -> None:
        super().__init__(code, environment)

    def answer(self, timeout_seconds: float = 5.0) -> dict[str, Any]:
        """Everything that it says about one search."""
        answer: dict[str, Any] = self.ask(str(timeout_seconds))
        return answer

    def devices(self) -> list[Device]:
        """What it finds."""
        return [_device(**fields) for fields in self.answer()["devices"]]

    def gpus(self) -> list[Device]:
        """What it finds, without the CPU, which must be the last."""
        *gpus, cpu = self.devices()
        assert cpu.kind == "cpu"
        return gpus


def _device(users: list[dict[str, Any]] | None, capability: list[int] | None, **fields: Any) -> Device:
    told = None if users is None else tuple(DeviceUser(**user) for user in users)
    return Device(**fields, users=told, capability=None if capability is None else (capability[0], capability[1]))


@contextmanager
def other_program() -> Iterator[subprocess.Popen[bytes]]:
    """A program that this test started, and that the asker did not."""
    with subprocess.Popen(["sleep", "60"]) as program:
        yield program
        program.kill()


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> FakeNvml:
    return FakeNvml(tmp_path_factory.mktemp("nvml"))


@pytest.fixture(scope="module")
def shared_asker(driver: FakeNvml) -> Iterator[Asker]:
    asker = Asker(driver.environment)
    yield asker
    assert asker.end() == 0


@pytest.fixture
def asker(driver: FakeNvml, shared_asker: Asker) -> Asker:
    driver.says(RTX, BUSY)
    return shared_asker


def test_a_gpu_is_found_with_everything_the_driver_tells(asker: Asker) -> None:
    [gpu] = asker.gpus()
    assert gpu == Device(
        "cuda",
        0,
        "GPU-aaaa",
        "NVIDIA GeForce RTX 3070",
        8192 << 20,
        6144 << 20,
        "560.35.03",
        51,
        0.87,
        215.5,
        5000.0,
        (),
        capability=(8, 6),
    )
    assert gpu.label == "cuda:0"


def test_several_gpus_are_found_in_the_drivers_order(driver: FakeNvml, asker: Asker) -> None:
    driver.says(RTX, TITAN)
    assert [(gpu.label, gpu.uuid) for gpu in asker.gpus()] == [("cuda:0", "GPU-aaaa"), ("cuda:1", "GPU-bbbb")]


def test_a_gpu_that_is_hidden_from_cuda_is_not_offered_and_the_other_keeps_its_number(driver: FakeNvml) -> None:
    driver.says(RTX, TITAN)
    asker = Asker(driver.environment | {"CUDA_VISIBLE_DEVICES": "1"})
    assert [(gpu.label, gpu.uuid) for gpu in asker.gpus()] == [("cuda:1", "GPU-bbbb")]
    assert asker.end() == 0


def test_of_several_gpus_those_stay_idle_for_which_the_engine_has_no_code(driver: FakeNvml, asker: Asker) -> None:
    driver.says("gpu GPU-cccc 11264 11000 40 NVIDIA GeForce GTX 1080 Ti", RTX, "capability 0 6 1", "capability 1 7 5")
    devices = asker.devices()
    assert choose_device(devices, "auto").label == "cuda:0", "it has more memory"
    for least, usable in (((5, 0), ["cuda:0", "cuda:1", "cpu"]), ((7, 5), ["cuda:1", "cpu"]), ((8, 0), ["cpu"])):
        assert [each.label for each in usable_devices(devices, "NVIDIA", least)] == usable
    driver.says(RTX, "fail nvmlDeviceGetCudaComputeCapability 3")
    assert len(usable_devices(asker.devices(), "NVIDIA", (7, 5))) == 2, "what is not told is taken for a usual one"


def test_a_rising_temperature_is_seen_at_the_next_look(driver: FakeNvml, asker: Asker) -> None:
    assert asker.gpus()[0].temperature_c == 51
    driver.says("gpu GPU-aaaa 8192 6144 83 NVIDIA GeForce RTX 3070")
    assert asker.gpus()[0].temperature_c == 83


def test_a_gpu_that_is_lost_is_left_out_and_the_others_stay(driver: FakeNvml, asker: Asker) -> None:
    driver.says(RTX, TITAN, "lost 0")
    assert [gpu.label for gpu in asker.gpus()] == ["cuda:1"]


def test_a_gpu_that_is_lost_while_it_is_asked_is_left_out(driver: FakeNvml, asker: Asker) -> None:
    driver.says(RTX, "fail nvmlDeviceGetTemperatureV 15")
    assert asker.gpus() == []


@pytest.mark.parametrize(
    ("call", "field"),
    [
        ("nvmlDeviceGetUUID", "uuid"),
        ("nvmlDeviceGetName", "name"),
        ("nvmlDeviceGetMemoryInfo_v2", "memory_total_bytes"),
        ("nvmlSystemGetDriverVersion", "driver"),
        ("nvmlDeviceGetCudaComputeCapability", "capability"),
        ("nvmlDeviceGetTemperatureV", "temperature_c"),
        ("nvmlDeviceGetUtilizationRates", "utilisation"),
        ("nvmlDeviceGetPowerUsage", "power_watts"),
        ("nvmlDeviceGetTotalEnergyConsumption", "energy_joules"),
    ],
)
def test_a_call_that_fails_leaves_only_its_value_unknown(driver: FakeNvml, asker: Asker, call: str, field: str) -> None:
    driver.says(RTX, BUSY, f"fail {call} 999")
    [gpu] = asker.gpus()
    unknown = {name for name, value in vars(gpu).items() if value is None}
    assert unknown == ({field, "memory_free_bytes"} if field == "memory_total_bytes" else {field})


def test_a_driver_that_is_not_loaded_leaves_the_cpu(driver: FakeNvml, asker: Asker) -> None:
    driver.says(RTX, "fail nvmlInitWithFlags 9")
    assert asker.gpus() == []


def test_a_driver_that_is_loaded_later_is_seen(driver: FakeNvml, asker: Asker) -> None:
    driver.says("fail nvmlInitWithFlags 9")
    assert asker.gpus() == []
    driver.says(RTX)
    assert len(asker.gpus()) == 1


def test_an_old_driver_without_the_newer_calls_tells_the_same(tmp_path: Path) -> None:
    driver = FakeNvml(tmp_path, old_driver=True)
    driver.says(RTX, "process 0 1 100 Compute")
    asker = Asker(driver.environment)
    [gpu] = asker.gpus()
    assert (gpu.memory_free_bytes, gpu.temperature_c) == (6144 << 20, 51)
    assert gpu.users is not None and [user.pid for user in gpu.users] == [1]
    assert asker.end() == 0


def test_other_programs_on_the_gpu_are_named_the_greediest_first(driver: FakeNvml, asker: Asker) -> None:
    with other_program() as small, other_program() as large:
        driver.says(
            RTX,
            f"process 0 {small.pid} 100 Graphics",
            f"process 0 {large.pid} 512 Compute",
            f"process 0 {large.pid} 512 Graphics",
            f"process 1 {small.pid} 700 Compute",
        )
        [gpu] = asker.gpus()
    assert gpu.users == (DeviceUser(large.pid, "sleep", 512 << 20), DeviceUser(small.pid, "sleep", 100 << 20))


def test_a_program_that_has_ended_or_tells_no_memory_is_still_counted(driver: FakeNvml, asker: Asker) -> None:
    driver.says(RTX, "process 0 999999999 -1 Compute")
    assert asker.gpus()[0].users == (DeviceUser(999999999, "", None),)


def test_this_program_and_what_it_started_are_not_other_programs(driver: FakeNvml, asker: Asker) -> None:
    """Asked by a process that is this test's child; so this test is another program, and it is not."""
    driver.says(RTX, f"process 0 {asker.process.pid} 512 Compute", f"process 0 {os.getpid()} 64 Compute")
    [gpu] = asker.gpus()
    assert gpu.users is not None and [user.pid for user in gpu.users] == [os.getpid()]


def test_a_driver_that_tells_of_no_programs_leaves_the_rest_known(driver: FakeNvml, asker: Asker) -> None:
    driver.says(RTX, BUSY, "fail nvmlDeviceGetComputeRunningProcesses_v3 4")
    [gpu] = asker.gpus()
    assert (gpu.users, gpu.utilisation) == (None, 0.87), "nobody knows whether there are any"


def test_a_gpu_on_which_nothing_runs_is_not_one_of_which_that_cannot_be_seen(driver: FakeNvml, asker: Asker) -> None:
    driver.says(RTX)
    assert asker.gpus()[0].users == ()


def test_in_wsl_nobody_knows_what_else_uses_the_gpu(driver: FakeNvml, tmp_path: Path) -> None:
    """Its driver lists no processes: an empty list stands for that here, as for a GPU that is idle elsewhere."""
    driver.says(RTX, BUSY)
    asker = Asker(driver.environment, inside_wsl(tmp_path / "root", _ASK_AT_EVERY_LINE))
    [gpu] = asker.gpus()
    assert (gpu.users, gpu.utilisation) == (None, 0.87)
    assert asker.end() == 0


def test_a_driver_that_hangs_costs_the_time_limit_and_only_what_it_was_asked(driver: FakeNvml) -> None:
    driver.says(RTX, "hang nvmlDeviceGetTemperatureV")
    asker = Asker(driver.environment)
    answers = [asker.answer(0.2) for _ in range(3)]
    assert all(answer["seconds"] < 1.5 for answer in answers)
    assert answers[-1]["threads"] == answers[0]["threads"], "a new thread hangs at every look"
    gpu, cpu = answers[-1]["devices"]
    assert (gpu["name"], gpu["temperature_c"], cpu["kind"]) == ("NVIDIA GeForce RTX 3070", None, "cpu")
    driver.says(RTX)
    assert asker.gpus()[0].temperature_c == 51
    assert asker.end() == 0


def test_a_hanging_driver_does_not_keep_the_process_alive(driver: FakeNvml) -> None:
    driver.says("hang nvmlInitWithFlags")
    asker = Asker(driver.environment)
    assert [device["kind"] for device in asker.answer(0.1)["devices"]] == ["cpu"]
    begun = time.monotonic()
    assert asker.end() == 0
    assert time.monotonic() - begun < 3


def test_the_cpu_is_always_there_and_has_a_name_and_memory() -> None:
    cpu = find_devices()[-1]
    assert (cpu.kind, cpu.label, cpu.uuid) == ("cpu", "cpu", None)
    assert cpu.name
    assert cpu.memory_total_bytes and cpu.memory_free_bytes


SMALL = Device("cuda", 0, "GPU-aaaa", "NVIDIA GeForce RTX 3070", 8 << 30, 6 << 30)
LARGE = Device("cuda", 1, "GPU-bbbb", "NVIDIA TITAN RTX", 24 << 30, 23 << 30)
CPU = Device("cpu", name="AMD Ryzen 5 5600X")


@pytest.mark.parametrize(
    ("wish", "chosen"),
    [
        ("auto", LARGE),
        ("cpu", CPU),
        ("cuda:0", SMALL),
        (" CUDA:1 ", LARGE),
        ("GPU-bbbb", LARGE),
        ("gpu-AAAA", SMALL),
    ],
)
def test_a_wish_means_one_device(wish: str, chosen: Device) -> None:
    assert choose_device([SMALL, LARGE, CPU], wish) is chosen


def test_auto_takes_the_cpu_where_no_gpu_can_be_named() -> None:
    assert choose_device([CPU], "auto") is CPU
    assert choose_device([Device("cuda"), CPU], "auto") is CPU


@pytest.mark.parametrize("wish", ["cuda:7", "cuda", "", "GPU-cccc", "tpu"])
def test_a_device_that_does_not_exist_is_answered_with_those_that_do(wish: str) -> None:
    with pytest.raises(UserError) as raised:
        choose_device([SMALL, CPU], wish)
    assert raised.value.problem is ErrorKind.NO_SUCH_DEVICE
    assert "cuda:0 (NVIDIA GeForce RTX 3070), cpu (AMD Ryzen 5 5600X)" in str(raised.value.detail)
