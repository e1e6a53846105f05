"""A run's mirror in the repository to which its model is pushed: one place for both."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from core.files.atomic import link_or_copy
from core.files.json_file import read_bounded
from core.run.manifest import RunManifest
from core.run.spec.web_address import hub_endpoint
from core.schema import UNREADABLE

INDEX_NAME = "index.json"
MAX_INDEX_BYTES = 4096


class _Index(msgspec.Struct, frozen=True):
    """Of what the index of a mirror says, the name of the newest state's file."""

    file: str


def is_mirrored_in(manifest: RunManifest, repository: str) -> bool:
    """Whether newcomers look for the run's state in that repository of the hub, ``OWNER/NAME``, at its top."""
    return manifest.collaboration.mirror.rstrip("/") == f"{hub_endpoint()}/{repository}/resolve/main"


def add_mirror(mirror: Path, folder: Path) -> None:
    """Put the newest state of a mirror's folder, and its index, into that folder; raises OSError.

    Nothing is put there before the first state is written, nor in a moment in which another takes its place.
    """
    with contextlib.suppress(FileNotFoundError, ValueError, *UNREADABLE):
        encoded = read_bounded(mirror / INDEX_NAME, MAX_INDEX_BYTES)
        name = Path(msgspec.json.decode(encoded, type=_Index).file).name
        link_or_copy(mirror / name, folder / name)
        (folder / INDEX_NAME).write_bytes(encoded)
