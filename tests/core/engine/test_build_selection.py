"""Which torch suits a computer: asked of stand-ins for the drivers' commands, and of a made-up PCI bus."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.engine import build_selection, file_lists
from core.engine.build_selection import Suited, choose_files, suited_build
from core.engine.builds import CUDA_BUILDS, BuildName
from core.engine.file_lists import EngineFiles, load_files
from core.engine.pythons import PYTHONS
from core.errors import ErrorKind, UserError
from core.hardware.unused_gpus import UnusedGpu
from tests.core.hardware.pci_tree import GIB, PciTree
from tests.support.engine_wheels import small_engine


def pretend(folder: Path, program: str, script: str) -> None:
    """A command of that name that does this."""
    path = folder / program
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The first folder on the PATH; the rest of it has no driver's commands."""
    folder = tmp_path / "commands"
    folder.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), "/usr/bin", "/bin"]))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    pretend(folder, "nvidia-smi", "exit 9")
    pretend(folder, "rocm_agent_enumerator", "echo gfx000")
    return folder


def pretend_nvidia(commands: Path, driver: str, capabilities: str = "[N/A]") -> None:
    """A driver of that version with GPUs of these compute capabilities, a line each."""
    script = f"case $1 in *compute_cap*) printf '{capabilities}\\n';; *) echo \"{driver}\";; esac"
    pretend(commands, "nvidia-smi", script)


@pytest.mark.parametrize(
    ("driver", "suited"),
    [
        ("580.95.05", Suited("cuda13", "driver", "580.95.05")),
        ("580.65.06", Suited("cuda13", "driver", "580.65.06")),
        ("610.10", Suited("cuda13", "driver", "610.10")),
        ("570.133.20", Suited("cuda128", "driver", "570.133.20")),
        ("525.60.13", Suited("cuda128", "driver", "525.60.13")),
        ("525.53", Suited("cpu", "driver_too_old", "525.53")),
        ("470.256.02", Suited("cpu", "driver_too_old", "470.256.02")),
        ("580.95.05\\nWARNING: infoROM is corrupted at gpu 0000:65:00.0", Suited("cuda13", "driver", "580.95.05")),
        ("[N/A]", Suited("cpu", "no_gpu")),
        ("$(yes | head -c 100000)", Suited("cpu", "no_gpu")),
    ],
)
def test_an_nvidia_driver_decides(commands: Path, driver: str, suited: Suited) -> None:
    pretend_nvidia(commands, driver)
    assert suited_build(commands) == suited


@pytest.mark.parametrize(
    ("driver", "capabilities", "suited"),
    [
        ("580.95.05", "7.5", Suited("cuda13", "driver", "580.95.05")),
        ("580.95.05", "6.1\\n12.0", Suited("cuda13", "driver", "580.95.05")),
        ("580.95.05", "[N/A]", Suited("cuda13", "driver", "580.95.05")),
        ("580.95.05", "7.0", Suited("cuda128", "gpu_old", "580.95.05", "7.0")),
        ("580.95.05", "6.1", Suited("cuda126", "gpu_old", "580.95.05", "6.1")),
        ("570.1", "5.2\\n7.0", Suited("cuda128", "driver", "570.1")),
        ("535.1", "8.9", Suited("cuda128", "driver", "535.1")),
        ("535.1", "5.0", Suited("cuda126", "gpu_old", "535.1", "5.0")),
        ("535.1", "3.5", Suited("cpu", "gpu_too_old", "535.1", "3.5")),
        ("470.1", "6.1", Suited("cpu", "driver_too_old", "470.1")),
    ],
)
def test_so_does_the_age_of_the_newest_nvidia_gpu(
    commands: Path, driver: str, capabilities: str, suited: Suited, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_selection, "this_python", lambda: "3.13")
    pretend_nvidia(commands, driver, capabilities)
    assert suited_build(commands) == suited


def test_a_python_that_the_gpus_build_does_not_know_is_named(commands: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_selection, "this_python", lambda: "3.14")
    pretend_nvidia(commands, "580.95.05", "6.1")
    assert suited_build(commands) == Suited("cpu", "python_too_new", "580.95.05", "6.1")
    pretend_nvidia(commands, "580.95.05", "7.0")
    assert suited_build(commands) == Suited("cuda128", "gpu_old", "580.95.05", "7.0")


@pytest.mark.parametrize(
    "script",
    [
        "exec sleep 600",
        "echo Failed to initialize NVML: Driver/library version mismatch; exit 18",
        "echo 580.95.05; echo Unable to determine the device handle for GPU0: Unknown Error; exit 15",
        r"printf '580.95\377.05'",
    ],
    ids=["hangs", "updated", "lost", "garbled"],
)
def test_a_driver_that_fails_or_hangs_is_as_good_as_none(
    commands: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setattr(build_selection, "_ANSWER_SECONDS", 0.5 if "sleep" in script else 30.0)
    pretend(commands, "nvidia-smi", script)
    assert suited_build(commands) == Suited("cpu", "no_gpu")


def test_an_amd_gpu_decides_where_there_is_no_nvidia_driver(commands: Path) -> None:
    pretend(commands, "rocm_agent_enumerator", "printf 'gfx000\\ngfx1100\\n'")
    assert suited_build(commands) == Suited("rocm", "amd")
    pretend(commands, "nvidia-smi", "echo 580.95.05")
    assert suited_build(commands).build == "cuda13"


def test_no_driver_at_all_means_the_cpu(commands: Path) -> None:
    assert suited_build(commands) == Suited("cpu", "no_gpu")
    (commands / "nvidia-smi").unlink()
    (commands / "rocm_agent_enumerator").unlink()
    assert suited_build(commands) == Suited("cpu", "no_gpu")


def test_a_gpu_without_an_engine_or_a_driver_is_the_reason_for_the_cpu(commands: Path, tmp_path: Path) -> None:
    tree = PciTree(tmp_path)
    tree.name_devices()
    tree.add_radeon()
    radeon = UnusedGpu("AMD", "AMD Radeon RX 7900 XTX", 24 * GIB, "no engine", "0000:03:00.0")
    assert suited_build(tmp_path) == Suited("rocm", "amd", unused=radeon)
    pretend_nvidia(commands, "580.95.05")
    assert suited_build(tmp_path).build == "cuda13"


def test_a_loaded_driver_is_called_silent_only_where_it_was_asked(commands: Path, tmp_path: Path) -> None:
    PciTree(tmp_path).add_geforce("nvidia")
    unused = suited_build(tmp_path).unused
    assert unused is not None and unused.obstacle == "driver silent"
    (commands / "nvidia-smi").unlink()
    assert suited_build(tmp_path) == Suited("cpu", "no_gpu")


def test_what_is_not_listed_is_replaced_by_the_next_best_which_is_said(tmp_path: Path) -> None:
    small = small_engine(tmp_path)

    def load(build: BuildName) -> EngineFiles | None:
        return small if build == "cpu" else None

    choice = choose_files(Suited("rocm", "amd"), load)
    assert choice.files is small and choice.is_second_best
    assert not choose_files(Suited("cpu", "no_gpu"), load).is_second_best
    larger = choose_files(Suited("cpu", "no_gpu"), lambda build: small if build == "cuda13" else None)
    assert larger.files is small and not larger.is_second_best, "no GPU stays idle"
    with pytest.raises(UserError) as caught:
        choose_files(Suited("cpu", "no_gpu"), lambda build: None)
    assert caught.value.problem is ErrorKind.ENGINE_NOT_OFFERED


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("build", ["cpu", *(each.name for each in CUDA_BUILDS)])
def test_the_lists_have_an_engine_for_each_python_that_its_build_has(
    build: BuildName, python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_lists, "this_python", lambda: python)
    files = load_files(build)
    cuda = {each.name: each for each in CUDA_BUILDS}.get(build)
    if cuda is not None and python not in cuda.pythons:
        assert files is None
        return
    assert files is not None and files.is_complete
    libraries = {each.library: each.version for each in files.files}
    assert len(libraries) == len(files.files)
    assert "hivemind" in libraries
    assert any(each.startswith("nvidia-cu") for each in libraries) == (build != "cpu")
    if cuda is not None:
        assert libraries["torch"] == cuda.torch
