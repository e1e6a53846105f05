"""The folders of the peers that `swarm` and `demo` run on this computer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.files.folders import Folders


def peer_folders(home: Path, own: Folders, command: str, name: str) -> Folders:
    """Return the folders of a peer; ``home`` is deleted when the command ends, but not the logs that an error names."""
    folder = name.replace(" ", "-")
    return replace(Folders.below(home / folder), logs=own.logs / command / folder)
