"""Rows of one process on the device: what the driver tells, adapters, few bits, checkpointing, the codec of changes."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Literal

from core.hardware.device import Device
from core.hardware.discovery import find_devices
from core.hardware.visible_gpus import VARIABLE
from tests.bench.setup import NotMeasured
from tests.gpu.driver import SmiGpu, ask_nvidia_smi
from tests.gpu.ground import Ground
from tests.gpu.runs import in_8_bits, with_micro_batch
from tests.gpu.table import Figure, Untried
from tests.support.checkout import ROOT

MAX_BYTES: dict[Literal["8bit", "nf4"], float] = {"8bit": 0.75, "nf4": 0.5}
"""Of the bytes of the same weights in 16 bits; embeddings stay as they are."""
_FEW_BITS_LOSS = 0.1  # by which the loss of random weights in few bits may differ, as a share
_SAME = 0.02  # by which the same computation may differ in 16 bits, as a share
_MIB = 2**20


def nvml(ground: Ground) -> Figure:
    """Every GPU as NVML, nvidia-smi and CUDA have it."""
    ground.gpu  # noqa: B018 - Untried without one
    about, device = ground.ask("about"), ground.device
    smi, ours = ask_nvidia_smi(), [each for each in find_devices(10.0) if each.kind == "cuda"]
    if VARIABLE in os.environ:
        smi = [each for each in smi if each.uuid in {gpu.uuid for gpu in ours}]
    wrong = [f"{len(ours)} GPUs instead of {len(smi)}"] if len(ours) != len(smi) else []
    for mine, other in zip(ours, smi, strict=False):
        wrong += [f"{mine.label}: {each}" for each in differences(mine, other)]
    if about["uuids"][device.index] not in ("", device.uuid):
        wrong.append(f"{device.label} is another GPU for CUDA: {about['uuids'][device.index]}")
    watts = ", ".join(f"{each.power_watts or 0:.0f} W, {each.temperature_c} °C" for each in ours)
    return Figure("; ".join(wrong) or f"{len(ours)} × the same ({watts})", "the same", not wrong)


def differences(device: Device, smi: SmiGpu) -> list[str]:
    """In what the two disagree; what changes from one moment to the next may do so a little."""
    exact = [
        ("uuid", device.uuid, smi.uuid),
        ("name", device.name, smi.name),
        ("driver", device.driver, smi.driver),
    ]
    free = None if smi.total_mib is None or smi.used_mib is None else smi.total_mib - smi.used_mib
    near = [
        ("memory", device.memory_total_bytes, smi.total_mib, _MIB, 2.0),
        ("free memory", device.memory_free_bytes, free, _MIB, 1024.0),
        ("temperature", device.temperature_c, smi.temperature, 1, 5.0),
        ("power", device.power_watts, smi.watts, 1, 60.0),
    ]
    found = [f"{what} {mine} instead of {its}" for what, mine, its in exact if mine != its]
    for what, mine, its, unit, tolerance in near:
        if (mine is None) != (its is None) or (
            mine is not None and its is not None and abs(mine / unit - its) > tolerance
        ):
            found.append(f"{what} {mine} instead of {its} × {unit}")
    return found


def adapters(ground: Ground) -> Figure:
    """LoRA of a larger model with random weights."""
    numbers = {"micro_batch": 1, "steps": ground.size.adapter_steps}
    figures = ground.ask("adapters", manifest=with_micro_batch(ground.runs.larger(), 1), numbers=numbers)
    is_learning = figures["last_loss"] < figures["first_loss"]
    words = f"{figures['parameters'] / 1e6:,.0f} M parameters, {figures['samples_per_second']:.1f} samples/s"
    if not ground.is_toy:
        words += f", {figures['bytes'] / 1e9:.1f} GB (estimated: {figures['estimated_bytes'] / 1e9:.1f})"
    return Figure(f"{words}, loss {figures['first_loss']:.3f} → {figures['last_loss']:.3f}", "learns", is_learning)


def optimizer_in_8_bits(ground: Ground) -> Figure:
    """AdamW with its statistics in 8 bits."""
    numbers = {"micro_batch": 1, "steps": 5}
    manifest = in_8_bits(with_micro_batch(ground.runs.small(1000), 1))
    figures = ground.ask("adamw8bit", manifest=manifest, numbers=numbers)
    is_good = figures["bytes_a_parameter"] < 2.2 and figures["last_loss"] < figures["first_loss"]
    words = f"{figures['bytes_a_parameter']:.2f} bytes a parameter"
    return Figure(f"{words}, loss {figures['first_loss']:.2f} → {figures['last_loss']:.2f}", "≤ 2.2, learns", is_good)


def few_bits(ground: Ground, kind: Literal["8bit", "nf4"]) -> Figure:
    """Frozen weights in 8 or 4 bits, with adapters."""
    folder, manifest = str(ground.folder / "weights"), with_micro_batch(ground.runs.larger(kind), 1)
    figures = ground.ask("few_bits", manifest=manifest, folder=folder)
    share = figures["few_bytes"] / figures["whole_bytes"]
    off = abs(figures["few_loss"] / figures["whole_loss"] - 1)
    words = f"{share:.2f} of the bytes, loss {figures['few_loss']:.3f} instead of {figures['whole_loss']:.3f}"
    return Figure(words, f"≤ {MAX_BYTES[kind]}", share <= MAX_BYTES[kind] and off <= _FEW_BITS_LOSS)


def checkpointing(ground: Ground) -> Figure:
    """Activations that are computed twice instead of kept."""
    size = ground.size.micro_batch
    manifest = with_micro_batch(ground.runs.small(1000), size)
    figures = ground.ask("checkpointing", manifest=manifest, numbers={"micro_batch": size})
    is_same = all(abs(figures[f"recomputed_{each}"] / figures[f"kept_{each}"] - 1) < _SAME for each in ("loss", "norm"))
    words = f"loss {figures['kept_loss']:.4f}, {figures['recomputed_loss']:.4f}"
    if ground.is_toy:
        return Figure(words, "the same loss", is_same)
    share = figures["recomputed_bytes"] / figures["kept_bytes"]
    return Figure(f"{share:.2f} of the memory; {words}", "less, the same loss", is_same and share < 1)


def delta_codec(ground: Ground) -> Figure:
    """What has changed of weights on the device is encoded."""
    numbers = ground.size.codec_numbers
    figures = ground.ask("codec", numbers={"numbers": numbers})
    rates = ", ".join(f"{kind} {numbers / figures[f'{kind}_seconds'] / 1e6:.0f}" for kind in ("int8", "int4"))
    return Figure(f"the same bytes as of weights on the CPU; {rates} M numbers/s", "the same bytes", True)


def tests_marked_gpu(ground: Ground) -> Figure:
    """The suite's own tests that need a GPU."""
    ground.gpu  # noqa: B018 - Untried without one
    if not all(map(importlib.util.find_spec, ("pytest", "pytest_timeout", "xdist", "hypothesis"))):
        raise Untried("pytest and its plug-ins are not installed")
    ground.clear()
    quiet = ("-q", "-n0", "-W", "ignore", "-p", "no:cacheprovider")  # other versions of libraries warn of other things
    command = [sys.executable, "-m", "pytest", *quiet, "-m", "gpu", "tests/worker"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    words = (done.stdout.strip().splitlines() or [""])[-1].strip("= ")
    if done.returncode not in (0, 1):
        raise NotMeasured(words or done.stderr.strip()[-200:])
    return Figure(words, "all pass", done.returncode == 0)


Measure = Callable[[Ground], Figure]
