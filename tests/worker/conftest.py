"""What tests of workers share."""

from __future__ import annotations

import pytest


@pytest.fixture
def patient_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A DHT whose process stands still for seconds is waited for: nothing is missing that is there."""
    monkeypatch.setattr("core.worker.swarm.dht.reader.READ_LIMIT_SECONDS", 60.0)
