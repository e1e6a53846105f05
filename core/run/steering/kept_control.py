"""The control value of a run in the files of a peer's folder: the newest signed one that it has seen, and, where the
run is published from, what a command has asked for and the worker that publishes is to sign.
"""

from __future__ import annotations

from pathlib import Path

from core.files.atomic import storage_problem
from core.files.json_file import JsonFile
from core.files.locks import PeerFiles
from core.run.steering.control_value import MAX_CONTROL_BYTES, ControlValue, control_in
from core.run.steering.kept_record import kept_record


def kept_control_file(folder: Path, run_id: str) -> Path:
    """Where a peer whose folder that is keeps it."""
    return folder / f"control-{run_id}.msgpack"


def kept_control(path: Path, organiser: str, run_id: str) -> ControlValue:
    """It, verified; that of a run which nobody has steered where there is none of that organiser."""
    signed = kept_record(path, MAX_CONTROL_BYTES)
    kept = None if signed is None else control_in(signed, organiser, run_id)
    return kept or ControlValue(run_id=run_id)


def asked_control(files: PeerFiles, organiser: str, run_id: str) -> ControlValue:
    """What was asked of the peers of a run that is published from a folder: signed, or still to be signed."""
    asked = JsonFile[ControlValue](files.control_file, ControlValue).read()
    signed = kept_control(kept_control_file(files.path, run_id), organiser, run_id)
    return asked if asked is not None and asked.run_id == run_id and asked.number > signed.number else signed


def ask_control(files: PeerFiles, control: ControlValue) -> None:
    """Ask that of them from now on; raises UserError."""
    path = files.control_file
    try:
        JsonFile[ControlValue](path, ControlValue).write(control)
    except OSError as error:
        raise storage_problem(error, path) from error
