"""The table of systems: on which ones Workerbee was tried, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from installer.docs.markdown import table

Proof = Literal["measured", "tested by stand-in", "untried"]
"""On the real thing; by something that stands for it; not at all."""


@dataclass(frozen=True)
class System:
    """A system or a kind of device, what is said of it, and the test or the bench that has shown it."""

    name: str
    proof: Proof
    what: str
    shown_by: str = ""


SYSTEMS = (
    System(
        "Debian 12, 13 and testing, from the .deb",
        "measured",
        "installed in a bare system, engine made, trained, removed; 2026-11-23, Debian 12 and 13 again 2026-11-29; "
        "[the times](benchmarks.md#the-package-in-bare-systems)",
        "tests/packaging/journeys",
    ),
    System("Ubuntu 24.04 and 26.04, from the .deb", "untried", "the same libraries as Debian 12 and testing"),
    System(
        "Another Linux, from the .run file",
        "tested by stand-in",
        "installed on Debian, and updated by `workerbee update`; the words of dnf, pacman and zypper by programs of "
        "these names",
        "tests/packaging/test_portable.py",
    ),
    System(
        "An upgrade by apt while Workerbee trains",
        "measured",
        "in Debian 12 and 13, from a signed repository, with the window and with the service, "
        "which a script in systemd's place started again; [what came of it](#from-an-apt-repository); "
        "in Debian testing untried",
        "tests/packaging/journeys",
    ),
    System(
        "Debian 12 and testing, from source",
        "measured",
        "[all tests](benchmarks.md#the-tests) in Debian 12, those of `make quick` in Debian testing",
        "tests/packaging/test_setup_scripts.py",
    ),
    System("Debian 13 and Ubuntu, from source", "untried", "`make demo`, `make test`"),
    System(
        "Python 3.11, 3.13 and 3.14",
        "measured",
        "those of Debian 12, 13 and testing, each from installation to training",
        "tests/packaging/journeys",
    ),
    System(
        "Python 3.12",
        "measured",
        "trained on the H200's computer, from wheels, 2026-11-27; in the .deb untried",
        "tests/gpu",
    ),
    System("A 64-bit ARM computer", "untried", "no package and no engine is made for it"),
    System("A container", "untried", "which gaps its sandbox leaves, `workerbee doctor` names"),
    System(
        "systemd's user manager, for the service",
        "measured",
        "a real one, of a computer that had not booted with systemd; a real boot is untried",
        "tests/core/service/test_real_service.py",
    ),
    System("Wayland in sway", "measured", "the window and its keys", "tests/integration/desktop"),
    System("Wayland in GNOME and KDE", "untried", "the window"),
    System("X11", "measured", "the window, in a bare X server with a window manager", "tests/integration/desktop"),
    System("X11 in a whole desktop, such as Xfce's", "untried", "the window"),
    System(
        "WSL 2 in Windows 11",
        "tested by stand-in",
        "what `doctor` says there, the window without a tray, and a driver that lists no processes",
        "tests/core/test_wsl.py",
    ),
    System("Windows itself", "untried", "hivemind has no peer for it"),
    System("macOS", "untried", "from source; [what is absent there](#other-systems)"),
    System("A CPU", "measured", "training in both modes, on 64-bit PCs", "tests/bench"),
    System(
        "An NVIDIA GPU",
        "measured",
        "on an H200 with driver 580: found, watched, trained on in the sandbox, left to another program; "
        "[what failed or is untried](benchmarks.md#on-a-gpu)",
        "tests/gpu",
    ),
    System(
        "A home computer's NVIDIA GPU, with a desktop on it",
        "tested by stand-in",
        "finding and watching it, by a library in NVML's place",
        "tests/support/environment/fake_nvml.py",
    ),
    System(
        "Two NVIDIA GPUs in one computer",
        "tested by stand-in",
        "a worker for each, by a library in NVML's place; they computed on the CPU",
        "tests/app/test_two_gpus_train.py",
    ),
    System(
        "Drivers and GPUs of CUDA 12.8 and 12.6",
        "tested by stand-in",
        "the choice of the engine, by a driver's version and a compute capability",
        "tests/core/engine/test_build_selection.py",
    ),
    System(
        "The engine for the CPU",
        "measured",
        "made and trained with, for Python 3.11; its download for 3.12 to 3.14 is untried",
        "tests/packaging/journeys",
    ),
    System(
        "The engine of CUDA 13.0",
        "measured",
        "made in Debian 13 and testing, where it trained on a CPU; on a GPU the same code ran with PyTorch 2.11, and "
        "the engine itself is untried",
        "tests/packaging/journeys",
    ),
    System(
        "The engines of CUDA 12.8 and 12.6",
        "measured",
        "their libraries, for Python 3.11, trained on a CPU beside PyTorch 2.13, "
        "[in both modes](#several-versions-of-pytorch-in-one-run); on a GPU they are untried",
        "tests/integration/torch_versions",
    ),
    System("Engines for ROCm and XPU", "untried", "their indexes were not reached; no list of their files is made"),
    System(
        "An AMD GPU",
        "tested by stand-in",
        "its name and memory, what is said of it, and what other programs compute on it, by files in the place of "
        "amdgpu's; no engine that comes with Workerbee computes on it",
        "tests/core/hardware/test_unused_gpus.py",
    ),
    System(
        "An Intel GPU",
        "tested by stand-in",
        "its name, its memory with the driver xe, what is said of it, and what other programs compute on it, by files "
        "in the place of the drivers'; no engine that comes with Workerbee computes on it",
        "tests/core/hardware/test_unused_gpus.py",
    ),
    System(
        "An NVIDIA GPU without a working driver, also with Secure Boot",
        "tested by stand-in",
        "what is said of it, by files in the place of Linux's; the advice itself is untried",
        "tests/core/hardware/test_unused_gpus.py",
    ),
    System(
        "An NVIDIA GPU whose first computation fails",
        "tested by stand-in",
        "what is said and advised, by an error in CUDA's place",
        "tests/worker/compute/test_device.py",
    ),
    System("Parts of an NVIDIA GPU (MIG)", "untried", "whether they are found"),
)


def system_table() -> str:
    """Each system with its proof."""
    rows = [
        (each.name, f"*{each.proof}*", each.what, f"`{each.shown_by}`" if each.shown_by else "") for each in SYSTEMS
    ]
    return table(("system", "proof", "of what", "where"), rows)
