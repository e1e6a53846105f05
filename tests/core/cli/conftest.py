"""What several tests of the command line have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.core.cli.terminal import Terminal


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    """Those that a test has opened."""
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()
