"""What several test files share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from core.restarts import RestartPolicy
from tests.front_end import PROMPT, FrontEnd, Open
from tests.real import Crew, crew


@pytest.fixture
def front_end(tmp_path: Path) -> Iterator[Open]:
    """Opens front ends whose workers play the given parts; afterwards no worker of theirs lives."""
    opened: list[FrontEnd] = []

    def open_one(*parts: str, restarts: RestartPolicy = PROMPT) -> FrontEnd:
        opened.append(FrontEnd(tmp_path / str(len(opened)), *parts, restarts=restarts))
        return opened[-1]

    yield open_one
    for front in opened:
        front.client.close()
    assert psutil.Process().children() == []


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Crew]:
    """Whoever is there for one test."""
    with crew(tmp_path) as everybody:
        yield everybody
