"""GPUs that a person hides from CUDA programs are not offered, and the others keep their numbers."""

from __future__ import annotations

import pytest

from core.engine.worker_command import worker_environment
from core.hardware.device import Device
from core.hardware.visible_gpus import VARIABLE, VisibleGpus

GPUS = {index: Device("cuda", index, f"GPU-{letter * 4}-1") for index, letter in enumerate("abc")}


@pytest.mark.parametrize(
    ("wish", "left"),
    [
        (None, [0, 1, 2]),
        ("1", [1]),
        ("2,0", [0, 2]),
        (" 0 , 1 ", [0, 1]),
        ("", []),
        ("-1", []),
        ("1,-1,2", [1]),
        ("0,9,1", [0]),
        ("GPU-bbbb", [1]),
        ("GPU-cccc-1,GPU-aaaa-1", [0, 2]),
        ("GPU-", []),
        ("NoDevFiles", []),
        ("MIG-41b2-1", [0, 1, 2]),
    ],
)
def test_the_variable_is_read_as_cuda_reads_it(wish: str | None, left: list[int]) -> None:
    assert sorted(VisibleGpus(wish).of(GPUS)) == left


def test_cuda_in_a_worker_numbers_the_gpus_as_they_are_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1,0")
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST")
    environment = worker_environment()
    assert environment["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"
    assert VARIABLE not in environment


def test_a_part_of_a_gpu_is_left_to_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "MIG-41b2-1")
    assert worker_environment()[VARIABLE] == "MIG-41b2-1"
