"""The device that a person has chosen. torch is told here what it would find on a computer with GPUs.

What a real GPU says is measured by `python -m tests.gpu`.
"""

from __future__ import annotations

import pytest
import torch

from core.errors import ErrorKind, UserError
from core.worker.compute.device import nvml_index, torch_device, usable_gpu_names


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The GPUs that were made the current one."""
    made = list[int]()
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", made.append)
    monkeypatch.setattr(torch, "ones", lambda *_, **__: torch.zeros(1))
    return made


def test_the_chosen_gpu_is_the_current_one_from_then_on(two_gpus: list[int]) -> None:
    assert torch_device("cuda:1") == torch.device("cuda", 1)
    assert two_gpus == [1]


def test_an_intel_gpu_is_begun_in_the_same_way(two_gpus: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("device_count", "set_device"):
        monkeypatch.setattr(torch.xpu, name, getattr(torch.cuda, name))
    assert torch_device("xpu:1") == torch.device("xpu", 1)
    assert two_gpus == [1]
    with pytest.raises(UserError, match="xpu:2: the engine sees 2 GPUs"):
        torch_device("xpu:2")


def test_a_gpu_that_the_engine_does_not_see_is_named(two_gpus: list[int]) -> None:
    with pytest.raises(UserError, match="the engine sees 2 GPUs") as refused:
        torch_device("cuda:2")
    assert refused.value.problem is ErrorKind.NO_SUCH_DEVICE
    assert two_gpus == []


@pytest.mark.parametrize(
    "words",
    [
        "CUDA unknown error - this may be due to an incorrectly set up environment",
        "The NVIDIA driver on your system is too old (found version 12020).",
        "CUDA error: no kernel image is available for execution on the device",
    ],
)
def test_a_driver_that_lists_a_gpu_and_cannot_use_it_is_told_in_words(
    two_gpus: list[int], monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    def refuse(_index: int) -> None:
        raise RuntimeError(f"{words}\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.")

    monkeypatch.setattr(torch.cuda, "set_device", refuse)
    monkeypatch.setattr(torch.cuda, "get_device_name", refuse)
    with pytest.raises(UserError) as refused:
        torch_device("cuda:0")
    assert refused.value.problem is ErrorKind.GPU_UNUSABLE
    assert str(refused.value.detail) == f"cuda:0: {words}"
    assert usable_gpu_names() == ()


def test_a_gpu_without_memory_is_out_of_memory(two_gpus: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_index: int) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(torch.cuda, "set_device", refuse)
    with pytest.raises(torch.OutOfMemoryError):
        torch_device("cuda:0")


def test_nvml_knows_a_gpu_of_nvidias_by_the_number_that_cuda_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert [nvml_index(name) for name in ("cuda:2", "cuda", "cpu", "xpu:0")] == [2, 0, None, None]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "MIG-aaaa")  # a part of a GPU, whose power nobody measures
    assert nvml_index("cuda:0") is None
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    monkeypatch.setattr(torch.version, "hip", "6.4")
    assert nvml_index("cuda:0") is None
