"""The portable form: the program that a .run file has put into a person's own home folder."""

from __future__ import annotations

from pathlib import Path

from core.files.resources import ROOT

_PROGRAM = Path(".local", "lib", "workerbee")  # as `installer/portable/set-up.sh` has it


def is_portable(root: Path = ROOT) -> bool:
    """Whether the program in that folder is the one that a .run file has put into this person's home."""
    return root.resolve() == (Path.home() / _PROGRAM).resolve()
