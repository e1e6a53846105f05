"""What was measured of a line is remembered where the computer is, for the next start there."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from core.files.folders import DataFolder
from core.worker.network.line_memory import KEPT_SECONDS, Direction, LineMemory, MeasuredSpeed
from core.worker.network.local_network import detect_local_network

HERE = ("/ip4/127.0.0.1/tcp/1",)


@pytest.mark.parametrize("direction", ["upload", "download"])
def test_what_was_measured_is_remembered_in_that_network(tmp_path: Path, direction: Direction) -> None:
    data = DataFolder(tmp_path)
    measured = LineMemory(data, HERE).remember(direction, 18e6)
    assert LineMemory(data, HERE).recall(direction) == measured
    assert LineMemory(data, HERE).recall("download" if direction == "upload" else "upload") is None
    path = data.uploads_file if direction == "upload" else data.downloads_file
    path.write_bytes(msgspec.json.encode({"elsewhere": MeasuredSpeed(18e6, measured.at)}))
    assert LineMemory(data, HERE).recall(direction) is None


@pytest.mark.parametrize("age", [KEPT_SECONDS + 1, -3600.0], ids=["old", "of the future"])
def test_what_is_too_old_or_of_another_clock_is_not_believed(tmp_path: Path, age: float) -> None:
    data, network = DataFolder(tmp_path), detect_local_network(HERE).network
    data.downloads_file.parent.mkdir(parents=True)
    data.downloads_file.write_bytes(msgspec.json.encode({network: MeasuredSpeed(18e6, time.time() - age)}))
    assert LineMemory(data, HERE).recall("download") is None


def test_without_a_folder_nothing_is_kept() -> None:
    memory = LineMemory()
    assert memory.remember("upload", 18e6).bits_per_second == 18e6
    assert memory.recall("upload") is None
