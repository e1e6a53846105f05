"""In the window, an AMD GPU with an engine for it; the GPU itself is made up (`pci_tree` says what of a real one)."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.controllers import engine_controller
from app.controllers.devices import device_sessions
from app.controllers.engine_controller import EngineController
from app.controllers.thread_bridge import Bridge
from core.availability.observation import Observation
from core.availability.rules import AvailabilityRules
from core.engine.python import SupportedGpus
from core.files.folders import Folders
from core.hardware.device import Device
from core.hardware.discovery import usable_devices
from core.hardware.monitor import DevicesSeen
from core.hardware.unused_gpus import find_unused_gpus
from tests.core.hardware.pci_tree import PciTree

PATIENCE_SECONDS = 30.0
CPU = Device("cpu")
RTX = Device("cuda", 0, "GPU-aaaa", "NVIDIA GeForce RTX 3070")


@pytest.fixture
def tree(tmp_path: Path) -> PciTree:
    tree = PciTree(tmp_path / "root")
    tree.name_devices()
    tree.add_radeon()
    tree.add_arc()
    return tree


def test_with_an_engine_for_it_a_gpu_is_lent_and_is_not_unused(
    tree: PciTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qapp: object
) -> None:
    monkeypatch.setattr(engine_controller, "supported_gpus", lambda _data: SupportedGpus("AMD", (0, 0)))
    monkeypatch.setattr(engine_controller, "usable_devices", partial(usable_devices, root=tree.root))
    controller = EngineController(Folders.below(tmp_path / "home"), Bridge())
    unused = find_unused_gpus((RTX, CPU), tree.root)
    seen = controller.usable_devices(DevicesSeen((RTX, CPU), True, 0.0, unused=unused))
    assert [each.name for each in seen.devices] == ["AMD Radeon RX 7900 XTX", None]
    assert seen.idle == (RTX,)
    assert [each.name for each in seen.unused] == ["Intel Arc A770"]


def test_what_others_do_on_a_further_gpu_is_looked_for_by_its_address(
    tree: PciTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at, nothing = list[Any](), Observation(datetime.now(UTC), 0.0)

    def observer(gpus: frozenset[int | str]) -> Any:
        looked_at.append(gpus)
        return SimpleNamespace(observe=lambda _rules: nothing, close=lambda: None)

    monkeypatch.setattr("core.observers.gpu.GpuObserver", observer)
    availability = cast(Any, SimpleNamespace(rules=AvailabilityRules()))
    devices = usable_devices((CPU,), "AMD", root=tree.root)
    for listed, known in ((devices, "0000:03:00.0"), ((RTX, CPU), 0), ((CPU,), 0)):
        poller = cast(Any, SimpleNamespace(devices=listed))
        watch = device_sessions.gpu_watch(availability, poller, "cuda:0")
        watch.start()
        watch.await_first_look(PATIENCE_SECONDS)
        watch.stop()
        assert looked_at.pop() == {known}
