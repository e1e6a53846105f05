"""Limits of the line on the command line: they take the place of the settings', whoever is at the computer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.availability.rules import AvailabilityRules
from core.cli.parser.arguments import JoinRun, read_arguments
from core.cli.runner.context import effective_settings
from core.files.folders import Folders
from core.records.settings import Settings, save_settings
from tests.app.support.sample_sessions import ADDRESS


@pytest.mark.parametrize(("typed", "kept_one"), [("download", "upload"), ("upload", "download")])
def test_a_rate_that_is_typed_holds_at_all_times_and_the_other_one_stays(
    tmp_path: Path, typed: str, kept_one: str
) -> None:
    folders = Folders.below(tmp_path)
    folders.settings_file.parent.mkdir(parents=True)
    rates: dict[str, Any] = {f"{kept_one}_rate": 10**6, f"attended_{kept_one}_rate": 10**5}
    kept = AvailabilityRules(battery=False, **rates)
    save_settings(folders.settings_file, Settings(availability=kept))
    command = read_arguments(["join", ADDRESS, f"--{typed}-rate", "2MB"], "1.0")
    assert isinstance(command, JoinRun)
    assert effective_settings(command, folders).availability == msgspec.structs.replace(
        kept, **{f"{typed}_rate": 2 * 10**6, f"attended_{typed}_rate": 2 * 10**6}
    )
