"""What every row of the proof stands on: the device, the runs, a process on the device, and swarms that rows share."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.engine.worker_command import command_of
from core.hardware.device import Device
from core.run.spec.collaboration import Mode
from tests.gpu.device_process import DeviceProcess, Question
from tests.gpu.driver import GpuDriver
from tests.gpu.runs import Runs, Size, toy_size
from tests.gpu.swarm import Swarm
from tests.gpu.table import Untried
from tests.support.environment.folder_server import FolderServer
from tests.support.peers import slow_computer
from tests.support.real_peers import PeerGroup, peer_group

_CPU_PEER_SHARE = 4  # of the cores, for the peer that computes on them beside the GPU's
NOISE_BYTES = 64 << 20  # by which a GPU's used memory differs from one moment to the next, whatever we do
SETTLING_SECONDS = 1.0


@dataclass
class Ground:
    """``idle_bytes`` are used on the GPU while nothing of ours is there; ``driver`` is ``None`` on a CPU.

    ``plain`` are samples a second of the plain loop, by mode.
    """

    folder: Path
    device: Device
    size: Size
    server: FolderServer
    group: PeerGroup
    driver: GpuDriver | None
    idle_bytes: int

    def __post_init__(self) -> None:
        self.plain: dict[Mode, float] = {}
        self.runs, self.tiny_runs = Runs(self.size, self.server), Runs(toy_size(), self.server)
        self.process = DeviceProcess(self.device.label, self.folder / "device.log")
        self._swarms: dict[Mode, Swarm] = {}

    @property
    def is_toy(self) -> bool:
        """Whether there is no GPU: everything is tiny then, and no speed means anything."""
        return self.device.kind == "cpu"

    @property
    def gpu(self) -> GpuDriver:
        """The driver's word on the GPU; raises Untried without one."""
        if self.driver is None:
            raise Untried("no GPU")
        return self.driver

    @property
    def worker(self) -> list[str]:
        """The command of a volunteer's worker: as a client starts it; a toy's computes as fast on any computer."""
        return slow_computer.WORKER if self.is_toy else command_of(Path(sys.executable))

    @property
    def peers(self) -> PeerGroup:
        """Where peers are hired that no client looks after: from the start, but for a toy's."""
        return self.group if self.is_toy else self.group.cold

    def ask(self, what: str, **question: Any) -> dict[str, Any]:
        """The figures of the process on the device."""
        return self.process.ask(Question(what=what, **question))

    def swarm(self, mode: Mode) -> Swarm:
        """The swarm of that mode, in which a volunteer trains on the device; begun anew if it is not there."""
        if not self.is_toy:
            self.process.close()
        if (swarm := self._swarms.get(mode)) is None:
            self.end_swarms()
            epoch_samples = self.size.epochs[mode].seconds * (
                self.plain.get(mode) or 2 * slow_computer.SAMPLES_PER_SECOND
            )
            manifest = self.runs.small(max(1, round(epoch_samples)), mode)
            folder = self.folder / f"{mode}-{time.monotonic_ns()}"
            swarm = self._swarms[mode] = Swarm(folder, self.peers, self.worker)
            threads = max(1, (os.cpu_count() or 1) // _CPU_PEER_SHARE)
            swarm.begin(manifest, self.device.label, self.size.micro_batch, threads, names_micro_batch=self.is_toy)
        return swarm

    def end_swarms(self) -> None:
        """Nothing is left of any; the next row that needs one begins it."""
        for swarm in self._swarms.values():
            swarm.close()
        self._swarms.clear()

    def clear(self) -> None:
        """Nothing of ours is on the GPU any more; on a CPU, a process that may be asked again stays."""
        self.end_swarms()
        if not self.is_toy:
            self.process.close()

    def reset(self) -> None:
        """After a row that has failed: no later row inherits anything of it."""
        self.end_swarms()
        self.process.close()


@contextmanager
def ground_for(folder: Path, device: Device, size: Size, server: FolderServer) -> Iterator[Ground]:
    """The ground, and its end."""
    driver = GpuDriver(device.index) if device.kind == "cuda" else None
    with peer_group(folder / "peers") as group:
        ground = Ground(folder, device, size, server, group, driver, driver.used_bytes if driver else 0)
        with contextlib.closing(ground.process):
            try:
                yield ground
            finally:
                ground.end_swarms()
