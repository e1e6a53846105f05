"""The proof on a GPU: the same code at toy size on a CPU, and what it makes of what drivers say."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from core.hardware.device import Device
from core.hardware.discovery import this_cpu
from tests.gpu import swarm_rows
from tests.gpu.device_rows import differences
from tests.gpu.driver import GpuDriver, SmiGpu
from tests.gpu.ground import NOISE_BYTES, Ground, ground_for
from tests.gpu.rows import ROWS
from tests.gpu.runs import toy_size, write_words
from tests.gpu.swarm import family_of
from tests.gpu.table import Figure, Line
from tests.gpu.wheels import arguments_without_wheels, unpack
from tests.support.checkout import ROOT
from tests.support.environment.fake_nvml import FakeNvml
from tests.support.environment.folder_server import serving_folder

ON_A_CPU = ("gradients", "cage", "local-sgd", "precisions", "dry-run", "lora", "checkpointing", "codec")
GPU = Device("cuda", 0, "GPU-1", "NVIDIA T4", 15360 << 20, 15000 << 20, "580.95.05", 40, 0.0, 27.5)
SMI = SmiGpu("GPU-1", "NVIDIA T4", "580.95.05", 15360.0, 100.0, 41.0, 30.0)


def verdicts_without_a_gpu(folder: Path, *only: str) -> dict[str, str]:
    """What the table says of each row, or of those, after the command with `--cpu`; its report lies in the folder."""
    report = folder / "gpu.md"
    command = [sys.executable, "-m", "tests.gpu", "--cpu", "--report", str(report), "--keep", str(folder / "logs")]
    command += [word for name in only for word in ("--only", name)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    machine, *rows = (line for line in report.read_text().splitlines() if line)
    assert "toy size" in machine and "torch" in machine
    return {what: verdict for what, _, _, verdict in (row.strip("| ").split(" | ") for row in rows[2:])}


@pytest.mark.slow
def test_without_a_gpu_rows_that_need_no_peers_run_at_toy_size(tmp_path: Path) -> None:
    reached = verdicts_without_a_gpu(tmp_path, "lora", "checkpointing", "codec", "pause")
    expected = {"lora": "yes", "checkpointing": "yes", "codec": "yes", "pause": "untried: no GPU"}
    assert list(reached) == [row.what for name, row in ROWS.items() if name in expected]
    for name, verdict in expected.items():
        assert reached[ROWS[name].what] == verdict, name


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.faults
@pytest.mark.timeout(1800)
def test_without_a_gpu_every_row_runs_at_toy_size_or_says_why_not(tmp_path: Path) -> None:
    reached = verdicts_without_a_gpu(tmp_path)
    assert list(reached) == [row.what for row in ROWS.values()]
    for name, row in ROWS.items():
        expected = (
            ("yes", "–") if name in ON_A_CPU else ("untried: no GPU", "untried: An optimizer", "untried: A model")
        )
        assert reached[row.what].startswith(expected), name


def test_an_unknown_row_is_answered_with_those_there_are() -> None:
    command = [sys.executable, "-m", "tests.gpu", "--cpu", "--only", "speed"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "there are nvml, gradients" in done.stderr


def test_the_documents_name_every_row() -> None:
    section = (
        (ROOT / "resources" / "docs" / "benchmarks.md").read_text().partition("## On a GPU")[2].partition("\n## ")[0]
    )
    named = {
        name
        for line in section.splitlines()
        if line.startswith("| `")
        for name in re.findall("`([^`]+)`", line.split("|")[1])
    }
    assert named == set(ROWS)


def test_what_changes_by_the_moment_may_differ_a_little_and_nothing_else() -> None:
    assert differences(GPU, SMI) == []
    assert differences(replace(GPU, power_watts=None), replace(SMI, watts=None)) == []
    assert differences(GPU, replace(SMI, uuid="GPU-2")) == ["uuid GPU-1 instead of GPU-2"]
    assert differences(replace(GPU, memory_total_bytes=15360 * 10**6), SMI)[0].startswith("memory ")


_ASK_THE_DRIVER = """
from tests.gpu.driver import GpuDriver
from tests.gpu.table import Untried
gpu = GpuDriver(0)
print(gpu.used_bytes >> 20, gpu.watts, gpu.seconds_until_free(0, frozenset(), 0.1))
print(gpu.seconds_until_free(2048 << 20, frozenset({1}), 5.0) is not None)
try:
    gpu.joules
except Untried as error:
    print(error)
"""


def test_a_driver_that_tells_no_energy_leaves_that_row_untried(tmp_path: Path) -> None:
    """The real pynvml, with the stand-in for NVIDIA's library."""
    driver = FakeNvml(tmp_path)
    driver.says("gpu GPU-aaaa 8192 6144 51 NVIDIA GeForce RTX 3070", "busy 0 87 215500")
    command = [sys.executable, "-c", _ASK_THE_DRIVER]
    done = subprocess.run(command, cwd=ROOT, env=driver.environment, capture_output=True, text=True, check=True)
    used, free, energy = done.stdout.splitlines()
    assert (used, free) == ("2048 215.5 None", "True")
    assert energy.startswith("this GPU does not tell its energy")


class ProcessMemory(GpuDriver):
    """Stands for NVIDIA's driver: each living process of a volunteer's worker has some memory of the GPU."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._family = ground, frozenset[int]()

    @property
    def pids(self) -> frozenset[int]:
        """Of all that was ever seen of the worker, those that live; one that has ended has no context any more."""
        front = next(iter(self._ground._swarms.values()))._fronts[0]
        with contextlib.suppress(psutil.NoSuchProcess, AssertionError):
            self._family |= family_of(front)
        return frozenset(filter(_is_alive, self._family))

    @property
    def used_bytes(self) -> int:
        """For each of them more than what counts as noise."""
        return 2 * NOISE_BYTES * len(self.pids)


def _is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_pause_and_a_kill_leave_nothing_on_the_gpu_by_a_stand_in_for_its_driver(tmp_path: Path) -> None:
    """The rows `pause` and `killed` at toy size on a CPU. Their limits are for a GPU's computer, and not looked at."""
    (tmp_path / "web").mkdir()
    write_words(tmp_path / "web", toy_size())
    with (
        serving_folder(tmp_path / "web") as server,
        ground_for(tmp_path, this_cpu(), toy_size(), server) as ground,
    ):
        ground.driver = ProcessMemory(ground)
        paused, killed = swarm_rows.pause(ground).measured, swarm_rows.killed(ground).measured
    assert re.fullmatch(r"[0-9.]+ s, 0 MiB left of [1-9][0-9]*", paused), paused
    assert re.fullmatch(r"[0-9.]+ s, 0 MiB left", killed), killed


def test_what_was_not_tried_speaks_against_nothing_and_a_failure_does() -> None:
    assert Line.without("a row", "untried: no GPU").is_good
    assert Line.of("a row", Figure("0.97", "≥ 0.95", True)).is_good
    assert not Line.of("a row", Figure("0.90", "≥ 0.95", False)).is_good
    assert not Line.without("a row", "failed: no answer within 60 s").is_good


def test_wheels_are_unpacked_where_python_finds_them_and_p2pd_can_be_run(tmp_path: Path) -> None:
    wheel = tmp_path / "hivemind-1.1.12-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("hivemind/hivemind_cli/p2pd", "#!/bin/sh\n")
        archive.writestr("hivemind/__init__.py", "")
    unpack([wheel], tmp_path / "unpacked")
    assert (tmp_path / "unpacked" / "hivemind" / "hivemind_cli" / "p2pd").stat().st_mode & 0o111 == 0o111
    assert arguments_without_wheels(["--only", "nvml", "--wheels", "w", "--cpu"]) == ["--only", "nvml", "--cpu"]
    assert arguments_without_wheels(["--wheels=w"]) == []
