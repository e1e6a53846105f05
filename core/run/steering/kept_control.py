"""The newest signed control value of a run that a peer has seen, in a file of its folder."""

from __future__ import annotations

import logging
from pathlib import Path

from core.files.atomic import write_atomically
from core.files.json_file import read_bounded
from core.run.steering.control_value import MAX_CONTROL_BYTES, ControlValue, control_in

log = logging.getLogger(__name__)


def kept_control_file(folder: Path, run_id: str) -> Path:
    """Where a peer whose folder that is keeps it."""
    return folder / f"control-{run_id}.msgpack"


def kept_control_bytes(path: Path) -> bytes | None:
    """It as it was signed, unverified; ``None`` where there is none."""
    try:
        return read_bounded(path, MAX_CONTROL_BYTES)
    except (OSError, ValueError):
        return None


def kept_control(path: Path, organiser: str, run_id: str) -> ControlValue:
    """It, verified; that of a run which nobody has steered where there is none of that organiser."""
    signed = kept_control_bytes(path)
    kept = None if signed is None else control_in(signed, organiser, run_id)
    return kept or ControlValue(run_id=run_id)


def keep_control(path: Path, signed: bytes) -> None:
    """Keep a signed control value for the next start, if the disk takes it."""
    try:
        write_atomically(path, signed)
    except OSError as error:
        log.warning("the control value is not kept for the next start: %s", error)
