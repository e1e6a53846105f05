"""What a volunteer did not say on the command line is as their settings have it."""

from __future__ import annotations

import sys

import msgspec

from core.cli.parser.arguments import InspectSwarm, JoinRun
from core.errors import ErrorKind
from core.files.folders import Folders
from core.records.settings import Settings, load_settings
from core.texts.errors import advice_of, title_of


def choices_for(wish: JoinRun | InspectSwarm, folders: Folders) -> Settings:
    """The settings, with what was said now in their place; a damaged file is named, and the defaults hold."""
    settings, aside = load_settings(folders.settings_file)
    if aside is not None:
        problem = ErrorKind.SETTINGS_DAMAGED
        print(f"{title_of(problem)} {advice_of(problem)} It is {aside}.", file=sys.stderr)
    said = {
        "device": wish.device,
        "network": wish.network,
        "threads": wish.threads,
        "memory_limit_bytes": wish.memory_limit_bytes,
        "public_name": wish.public_name if isinstance(wish, JoinRun) else None,
    }
    return msgspec.structs.replace(settings, **{name: choice for name, choice in said.items() if choice is not None})
