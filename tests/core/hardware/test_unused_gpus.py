"""A GPU that cannot train is told by its name, with what keeps it from training and what its owner can do.

The computers are made up: `pci_tree` says what of a real one each file stands for.
"""

from __future__ import annotations

import queue
import sys
from functools import partial
from pathlib import Path

import pytest

from core.cli.commands.diagnostics import Finding, gpus
from core.cli.commands.inspect import inspect
from core.cli.parser.arguments import InspectSwarm
from core.cli.runner.cancellation import Stop
from core.cli.runner.context import CommandContext, EventLoop
from core.files.folders import Folders
from core.hardware.device import Device
from core.hardware.monitor import DeviceMonitor, DevicesSeen
from core.hardware.pci_gpus import PciGpu, find_pci_gpus
from core.hardware.unused_gpus import UnusedGpu, find_unused_gpus, is_secure_boot_on
from core.texts.device import unused_words
from tests.core.hardware.pci_tree import GIB, PciTree
from tests.support.cli_process import ADDRESS, found, reciting, run_found

PATIENCE_SECONDS = 20.0
CPU = Device("cpu", name="AMD Ryzen 5 5600X")
RADEON = UnusedGpu("AMD", "AMD Radeon RX 7900 XTX", 24 * GIB, "no engine", "0000:03:00.0")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PciTree:
    """A system without a GPU, whose lists know the names of some; nothing is hidden from CUDA."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    tree = PciTree(tmp_path)
    tree.name_devices()
    return tree


def examine(tree: PciTree, *devices: Device) -> list[Finding]:
    """What `doctor` says of the GPUs of that system, where its drivers tell of these devices."""
    return list(gpus((*devices, CPU), None, tree.root))


def test_gpus_are_told_with_name_memory_and_driver(tree: PciTree) -> None:
    tree.add_radeon()
    tree.add_arc()
    tree.add_geforce("nouveau")
    assert find_pci_gpus(tree.root) == (
        PciGpu("NVIDIA", "NVIDIA GeForce RTX 3060 Lite Hash Rate", None, "nouveau", address="0000:01:00.0"),
        PciGpu("AMD", "AMD Radeon RX 7900 XTX", 24 * GIB, "amdgpu", address="0000:03:00.0"),
        PciGpu("Intel", "Intel Arc A770", 16 * GIB, "xe", address="0000:04:00.0"),
    )


def test_without_amds_list_the_name_is_that_of_all_cards_with_the_chip(tree: PciTree) -> None:
    tree.add_radeon(revision="0xc0")
    (gpu,) = find_pci_gpus(tree.root)
    assert gpu.name == "AMD Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M"


def test_without_any_list_the_vendor_and_the_pci_id_are_told(tmp_path: Path) -> None:
    tree = PciTree(tmp_path)
    tree.add_radeon()
    (gpu,) = find_pci_gpus(tree.root)
    assert gpu.name == "AMD GPU (PCI 1002:744c)"


def test_other_systems_than_linux_are_not_read(tree: PciTree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.add_radeon()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert find_pci_gpus(tree.root) == ()


def test_files_that_cannot_be_read_and_figures_that_are_none_are_not_known(tree: PciTree) -> None:
    folder = tree.add("0000:05:00.0", "0x1002", "0x744c", mem_info_vram_total="lots", mem_busy_percent="0")
    (folder / "uevent").unlink()
    (folder / "revision").write_bytes(b"\xff\xfe")
    (gpu,) = find_pci_gpus(tree.root)
    assert gpu.memory_bytes is None and gpu.driver == "" and not gpu.is_integrated
    assert find_pci_gpus(tree.root / "nowhere") == ()


def test_doctor_says_of_an_amd_or_intel_gpu_that_no_engine_computes_on_it(tree: PciTree) -> None:
    tree.add_radeon()
    tree.add_arc()
    radeon, arc = examine(tree)
    assert radeon.text == "AMD Radeon RX 7900 XTX (25.8 GB): Workerbee has no engine for it yet, so the CPU trains."
    assert arc.text.startswith("Intel Arc A770 (17.2 GB): Workerbee has no engine")
    assert radeon.advice == arc.advice == "There is nothing to install for it."


def test_inspect_says_so_beside_what_a_run_needs(
    tree: PciTree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree.add_radeon()
    monkeypatch.setattr("core.cli.commands.inspect.find_unused_gpus", partial(find_unused_gpus, root=tree.root))
    folders = Folders.below(tree.root / "home")
    folders.prepare()
    context = CommandContext(folders, EventLoop(), Stop(lambda: None), reciting(tree.root, found(run_found())))
    assert inspect(InspectSwarm(ADDRESS, "auto", dry_run=False), context) == 0
    assert "AMD Radeon RX 7900 XTX (25.8 GB): Workerbee has no engine" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("driver", ["", "nouveau"])
def test_an_nvidia_gpu_without_its_driver_is_told_as_that(tree: PciTree, driver: str) -> None:
    tree.add_geforce(driver)
    tree.tell_secure_boot(0)
    (finding,) = examine(tree)
    assert finding.text.startswith("NVIDIA GeForce RTX 3060") and "has no working driver" in finding.text
    assert finding.advice.startswith("Install NVIDIA's driver") and "Secure Boot" not in finding.advice


def test_secure_boot_is_named_where_it_may_refuse_the_driver(tree: PciTree) -> None:
    assert not is_secure_boot_on(tree.root)
    tree.add_geforce("")
    tree.tell_secure_boot(1)
    (finding,) = examine(tree)
    assert "Secure Boot is on" in finding.advice and "mokutil --import" in finding.advice


def test_a_driver_that_is_loaded_and_silent_needs_a_restart_whatever_secure_boot_is(tree: PciTree) -> None:
    tree.add_geforce("nvidia")
    tree.tell_secure_boot(1)
    (finding,) = examine(tree)
    assert "is loaded, but tells of no GPU" in finding.text and finding.advice.startswith("Restart the computer")


def test_integrated_gpus_are_no_reason_to_advise_anything(tree: PciTree) -> None:
    tree.add_intel_integrated()
    tree.add_amd_integrated()
    assert find_unused_gpus((CPU,), tree.root) == ()
    assert examine(tree) == [
        Finding("good", "GPU", "the processor's own (Intel UHD Graphics 620, AMD Raphael), so the CPU trains")
    ]


def test_beside_an_nvidia_gpu_that_works_only_others_are_told(tree: PciTree) -> None:
    tree.add_geforce("nvidia")
    tree.add_amd_integrated()
    tree.add_radeon()
    works = Device("cuda", 0, "GPU-aaaa", "NVIDIA GeForce RTX 3060")
    assert find_unused_gpus((works, CPU), tree.root) == (RADEON,)
    of_geforce, of_radeon = examine(tree, works)
    assert of_geforce.state == "good"
    assert of_radeon.text.endswith("no engine for it yet, so it stays idle."), "the CPU does not train here"


def test_a_gpu_that_its_owner_gives_to_something_else_is_left_alone(
    tree: PciTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.add_geforce("vfio-pci")
    assert find_unused_gpus((CPU,), tree.root) == ()
    hidden = PciTree(tree.root / "other")
    hidden.add_geforce("nvidia")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert find_unused_gpus((CPU,), hidden.root) == ()


def test_two_cards_of_a_kind_are_told_once() -> None:
    assert unused_words((RADEON, RADEON)).count("RX 7900 XTX") == 1


def test_the_window_is_told_of_them_by_the_monitor(tree: PciTree) -> None:
    tree.add_radeon()
    told: queue.Queue[DevicesSeen] = queue.Queue()
    monitor = DeviceMonitor(told.put, root=tree.root)
    monitor.start()
    try:
        assert told.get(timeout=PATIENCE_SECONDS).unused == (RADEON,)
    finally:
        monitor.stop()
