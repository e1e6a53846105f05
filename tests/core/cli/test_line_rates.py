"""Limits of the line on the command line: they take the place of the settings', whoever is at the computer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.availability.rules import AvailabilityRules
from core.cli.parser.arguments import JoinRun, read_arguments
from core.cli.runner.context import CurrentSettings, effective_settings
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


def test_what_was_typed_holds_when_the_settings_change_and_what_does_not_go_with_it_is_left_out(tmp_path: Path) -> None:
    folders = Folders.below(tmp_path)
    save_settings(folders.settings_file, Settings(device="cpu", expert_role="both"))
    command = read_arguments(["join", ADDRESS, "--download-rate", "1MB", "--experts", "2"], "1.0")
    assert isinstance(command, JoinRun)
    current = CurrentSettings(command, folders)
    typed = AvailabilityRules(download_rate=10**6, attended_download_rate=10**6)
    assert current().availability == typed
    rules = AvailabilityRules(gpu_celsius=75, download_rate=10**5)
    changed = Settings(device="cuda:0", threads=3, expert_role="host", availability=rules)
    save_settings(folders.settings_file, changed)
    latest = current()
    assert latest.availability == msgspec.structs.replace(typed, gpu_celsius=75)
    assert (latest.threads, latest.device) == (3, "cpu"), "the device on which it trains is the one of the beginning"
    rules = AvailabilityRules(gpu_celsius=60, games=False)
    save_settings(folders.settings_file, Settings(threads=4, availability=rules))
    followed = msgspec.structs.replace(typed, gpu_celsius=60, games=False)
    kept = msgspec.structs.replace(latest, availability=followed)
    assert current() == kept, "whoever only trains answers for no experts, and their rules hold all the same"
