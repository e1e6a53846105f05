"""`workerbee join` of an owner with rules, as a program of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.availability.rules import AvailabilityRules
from core.files.folders import Folders
from core.records.settings import Settings, save_settings
from tests.support.real_peers import LineProcess

Volunteer = LineProcess[dict[str, Any]]


def join_with_rules(
    client: Sequence[str], address: str, home: Path, rules: AvailabilityRules, device: str, **options: Any
) -> Volunteer:
    """Help the run at that address with that device; ``options`` are `LineProcess`'s, the environment among them."""
    save_settings(Folders.below(home).settings_file, Settings(availability=rules))
    words = ["--yes", "--json", "--device", device, "--threads", "1", "--network", "direct"]
    command = [*client, "join", address, *words]
    return Volunteer(command, home / "client.log", json.loads, WORKERBEE_HOME=str(home), **options)
