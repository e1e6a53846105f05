"""What was measured of a line is remembered where the computer is, for the next start there."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from core.worker.network.local_network import detect_local_network
from core.worker.network.upload_memory import KEPT_SECONDS, MeasuredUpload, UploadMemory

HERE = ("/ip4/127.0.0.1/tcp/1",)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "uploads.json"


def test_what_was_measured_is_remembered_in_that_network(path: Path) -> None:
    measured = UploadMemory(path, HERE).remember(18e6)
    assert UploadMemory(path, HERE).recall() == measured
    there = {"elsewhere": msgspec.to_builtins(measured)}
    path.write_bytes(msgspec.json.encode(there))
    assert UploadMemory(path, HERE).recall() is None


@pytest.mark.parametrize("age", [KEPT_SECONDS + 1, -3600.0], ids=["old", "of the future"])
def test_what_is_too_old_or_of_another_clock_is_not_believed(path: Path, age: float) -> None:
    network = detect_local_network(HERE).network
    path.write_bytes(msgspec.json.encode({network: MeasuredUpload(18e6, time.time() - age)}))
    assert UploadMemory(path, HERE).recall() is None


def test_without_a_file_nothing_is_kept() -> None:
    memory = UploadMemory()
    assert memory.remember(18e6).bits_per_second == 18e6
    assert memory.recall() is None
