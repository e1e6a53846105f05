"""Systems on which nobody has tried Workerbee: `doctor` says so. A patched name stands for the system."""

from __future__ import annotations

import platform
from itertools import islice
from pathlib import Path
from typing import Any, cast

import pytest

from core.cli.commands.doctor import findings
from core.cli.runner.context import CommandContext
from core.files.folders import Folders


@pytest.fixture
def context(tmp_path: Path) -> CommandContext:
    """Of a person without anything; what runs commands and ends them is asked for nothing here."""
    return CommandContext(Folders.below(tmp_path), cast(Any, None), cast(Any, None))


@pytest.mark.parametrize(("name", "said"), [("Darwin", "macOS"), ("FreeBSD", "FreeBSD"), ("", "unknown")])
def test_doctor_says_that_a_system_is_untried(
    context: CommandContext, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.setattr(platform, "system", lambda: name)
    _python, system = islice(findings(context), 2)
    assert (system.state, system.text) == ("doubtful", f"untried on this system: {said}")
    assert "Other systems" in system.advice


def test_nothing_is_said_of_linux(context: CommandContext) -> None:
    assert platform.system() == "Linux"
    assert "system" not in [each.subject for each in islice(findings(context), 2)]
