"""What others or we have signed for a run, in a file of a peer's folder, so that a restart goes on from it."""

from __future__ import annotations

import logging
from pathlib import Path

from core.files.atomic import write_atomically
from core.files.json_file import read_bounded

log = logging.getLogger(__name__)


def kept_record(path: Path, max_bytes: int) -> bytes | None:
    """It as it was signed, unverified; ``None`` where there is none, or one that is longer."""
    try:
        return read_bounded(path, max_bytes)
    except (OSError, ValueError):
        return None


def keep_record(path: Path, signed: bytes) -> None:
    """Keep it for the next start, if the disk takes it."""
    try:
        write_atomically(path, signed)
    except OSError as error:
        log.warning("%s is not kept for the next start: %s", path.name, error)
