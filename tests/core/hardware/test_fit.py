"""Whether a run fits is said with numbers, and what is not known is never said to fit."""

from __future__ import annotations

import msgspec
import pytest

from core.files.disk_space import DiskSpace
from core.hardware.device import Device
from core.hardware.fit import FitVerdict, fits, gpu_memory_needed, host_memory_needed, share_of_swarm
from core.run.manifest import Requirements, RunManifest
from core.run.requirements import estimate_requirements
from core.run.run_file import parse_run_file, template

PLENTY = 10**12
ROOM = DiskSpace(PLENTY)
CPU = Device("cpu", memory_total_bytes=PLENTY, memory_free_bytes=PLENTY)


def manifest_asking(**requirements: int) -> RunManifest:
    return msgspec.structs.replace(parse_run_file(template()), requirements=Requirements(**requirements))


MANIFEST = manifest_asking()


def gpu_with(free_bytes: int | None, total_bytes: int | None = None) -> Device:
    return Device("cuda", 0, "GPU-1", memory_total_bytes=total_bytes, memory_free_bytes=free_bytes)


@pytest.mark.parametrize(
    ("free_share", "verdict"), [(10.0, "fits"), (1.2, "fits"), (1.05, "tight"), (0.99, "too_little")]
)
def test_what_is_free_decides(free_share: float, verdict: FitVerdict) -> None:
    gpu = gpu_with(round(free_share * gpu_memory_needed(MANIFEST)))
    fit = fits(MANIFEST, gpu, [gpu, CPU], ROOM)
    assert fit.gpu is not None
    assert (fit.gpu.verdict, fit.verdict) == (
        verdict,
        verdict,
    )


def test_a_gpu_that_does_not_say_what_is_free_is_not_said_to_fit() -> None:
    gpu = gpu_with(None)
    assert fits(MANIFEST, gpu, [gpu, CPU], ROOM).verdict == "unknown"


def test_without_a_word_about_ordinary_memory_nothing_is_said_of_it() -> None:
    gpu = gpu_with(PLENTY)
    assert fits(MANIFEST, gpu, [gpu], ROOM).memory.verdict == "unknown"


def test_the_cpu_needs_the_model_in_ordinary_memory_and_no_gpu() -> None:
    on_cpu = fits(MANIFEST, CPU, [CPU], ROOM)
    assert on_cpu.gpu is None
    assert (
        on_cpu.memory.needed_bytes == host_memory_needed(MANIFEST) + estimate_requirements(MANIFEST).device_memory_bytes
    )


def test_the_worst_of_them_counts() -> None:
    gpu = gpu_with(PLENTY)
    asking = manifest_asking(disk_mib=2000)
    assert fits(asking, gpu, [gpu, CPU], DiskSpace(1000 << 20)).verdict == "too_little"
    assert fits(asking, gpu, [gpu, CPU], DiskSpace()).verdict == "unknown"


def test_no_wish_for_disk_always_fits() -> None:
    assert fits(MANIFEST, CPU, [CPU], DiskSpace()).disk.verdict == "fits"


def test_an_organiser_may_ask_for_more_than_the_estimate_but_not_for_less() -> None:
    assert gpu_memory_needed(manifest_asking(gpu_memory_mib=8192)) == 8192 << 20
    assert gpu_memory_needed(manifest_asking(gpu_memory_mib=1)) == gpu_memory_needed(MANIFEST)
    assert host_memory_needed(manifest_asking(memory_mib=65536)) == 65536 << 20


@pytest.mark.parametrize(("total_share", "is_freeable"), [(2.0, True), (0.5, False), (None, False)])
def test_other_programs_may_be_in_the_way(total_share: float | None, is_freeable: bool) -> None:
    needed = gpu_memory_needed(MANIFEST)
    total = None if total_share is None else round(total_share * needed)
    gpu = gpu_with(needed // 3, total)
    fit = fits(MANIFEST, gpu, [gpu, CPU], ROOM).gpu
    assert fit is not None and fit.is_freeable is is_freeable


@pytest.mark.parametrize("device", [CPU, gpu_with(PLENTY)])
def test_a_limit_of_memory_is_what_the_training_device_has(device: Device) -> None:
    on_device = {share: fits(MANIFEST, device, [CPU], ROOM, round(share * PLENTY)) for share in (1e-6, 2.0)}
    narrow, wide = on_device[1e-6], on_device[2.0]
    limited = narrow.gpu or narrow.memory
    assert limited.verdict == "too_little" and limited.is_limited and limited.available_bytes == PLENTY // 10**6
    assert wide.verdict == "fits" and not (wide.gpu or wide.memory).is_limited
    assert narrow.gpu is None or narrow.memory.verdict == "fits"


def test_downloads_are_those_of_the_run() -> None:
    needs = estimate_requirements(MANIFEST)
    fit = fits(MANIFEST, CPU, [CPU], ROOM)
    assert needs.fetched_bytes == 0
    assert fit.download_bytes == needs.download_bytes


def test_only_what_may_have_the_memory_is_tried() -> None:
    asking = manifest_asking(disk_mib=2000)
    gpu = gpu_with(PLENTY)
    assert fits(asking, gpu, [gpu, CPU], DiskSpace(1000 << 20)).may_be_tried  # the disk is another matter
    assert fits(asking, gpu_with(None), [CPU], ROOM).may_be_tried
    small = gpu_with(gpu_memory_needed(MANIFEST) - 1)
    assert not fits(MANIFEST, small, [small, CPU], ROOM).may_be_tried


@pytest.mark.parametrize(
    ("mine", "others", "share"),
    [(31.4, 7800.0, 0.00401), (10.0, 30.0, 0.25), (10.0, None, None), (10.0, 0.0, None)],
)
def test_my_part_of_the_swarm_counts_me_too(mine: float, others: float | None, share: float | None) -> None:
    assert share_of_swarm(mine, others) == (share if share is None else pytest.approx(share, rel=0.01))
