"""Peers for the tests of local SGD."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.local_sgd.recorded_peers import RecordedPeers


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[RecordedPeers]:
    """Peers whose base weights' versions are written down."""
    with contextlib.closing(RecordedPeers(tmp_path)) as group:
        yield group
