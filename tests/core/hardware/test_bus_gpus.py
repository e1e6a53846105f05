"""An AMD or Intel GPU as a device of an engine that was made for it, and who tells what others compute there.

The computers are made up: `pci_tree` and `drm_tree` say what of a real one each file stands for.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.availability.rules import AvailabilityRules
from core.cli.commands.diagnostics import gpus
from core.cli.commands.gpu_use_source import gpu_use
from core.client.computer_watch import gpus_of
from core.hardware.device import Device
from core.hardware.discovery import choose_device, usable_devices
from core.hardware.unused_gpus import find_unused_gpus
from core.texts.device import label_of, short_label_of
from tests.core.hardware.pci_tree import GIB, PciTree
from tests.core.observers.drm_tree import ARC, RADEON, DrmTree, amdgpu

CPU = Device("cpu", name="AMD Ryzen 5 5600X")
RTX = Device("cuda", 0, "GPU-aaaa", "NVIDIA GeForce RTX 3070")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PciTree:
    """A system with an AMD GPU, an Intel GPU, and one of either that is a part of the processor."""
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    tree = PciTree(tmp_path)
    tree.name_devices()
    for add in (tree.add_radeon, tree.add_arc, tree.add_amd_integrated, tree.add_intel_integrated):
        add()
    return tree


def test_an_engine_computes_on_the_gpus_of_its_vendor_and_they_are_known_by_their_address(tree: PciTree) -> None:
    radeon, *others = usable_devices((RTX, CPU), "AMD", root=tree.root)
    assert others == [CPU]
    assert radeon == Device(
        "cuda", 0, name="AMD Radeon RX 7900 XTX", memory_total_bytes=24 * GIB, pci_address="0000:03:00.0"
    )
    assert choose_device((radeon, CPU), "auto") == choose_device((radeon, CPU), "cuda:0") == radeon
    arc = choose_device(usable_devices((RTX, CPU), "Intel", root=tree.root), "xpu:0")
    assert (label_of(arc), short_label_of(arc.label)) == ("GPU 0 · Intel Arc A770", "GPU 0")
    assert gpus_of([radeon]) == {RADEON} and gpus_of([arc]) == {ARC} and gpus_of([RTX]) == {0} and not gpus_of([CPU])


def test_other_engines_compute_on_none_of_them(tree: PciTree) -> None:
    assert usable_devices((RTX, CPU), "NVIDIA", root=tree.root) == (RTX, CPU)
    assert usable_devices((RTX, CPU), None, root=tree.root) == (CPU,)
    assert usable_devices((RTX, CPU), "AMD", root=tree.root / "nowhere") == (CPU,)


def test_a_gpu_that_an_engine_computes_on_is_not_said_to_be_unused(tree: PciTree) -> None:
    devices = usable_devices((CPU,), "AMD", root=tree.root)
    assert [gpu.name for gpu in find_unused_gpus(devices, tree.root)] == ["Intel Arc A770"]
    radeon, arc = gpus(devices, None, tree.root)
    assert radeon.text == "cuda:0: AMD Radeon RX 7900 XTX, 25.8 GB" and "no engine" in arc.text


def test_doctor_says_who_tells_what_others_compute_on_the_gpu(tree: PciTree) -> None:
    rules, devices = AvailabilityRules(), usable_devices((CPU,), "AMD", root=tree.root)
    assert gpu_use((CPU,), rules, tree.root).text.startswith("no GPU trains here")
    unseen = gpu_use(devices, rules, tree.root)
    assert (unseen.state, unseen.text) == ("doubtful", "nobody tells it") and "Linux 5.19" in unseen.advice
    assert gpu_use(devices, AvailabilityRules(gpu_share=None), tree.root).state == "good"
    DrmTree(tree.root, RADEON).opens(os.getpid(), RADEON, amdgpu())
    seen = gpu_use(devices, rules, tree.root)
    assert (seen.state, seen.text) == ("good", "told by the kernel, of your own programs (/proc/<pid>/fdinfo)")
