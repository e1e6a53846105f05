"""The command that starts this very Workerbee, for whoever starts it later: the desktop at login, a service manager."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from core.files.folders import HOME_VARIABLE

_PLACES = (HOME_VARIABLE, "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")


def workerbee_program() -> Path:
    """The path of the command ``workerbee``."""
    typed, beside = Path(sys.argv[0]), Path(sys.executable).with_name("workerbee")
    if typed.name == "workerbee" and typed.is_file():
        return typed.absolute()
    return beside if beside.is_file() else Path(shutil.which("workerbee") or beside)


def chosen_places(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of the environment that say where Workerbee's folders are; a service has others, or none."""
    return {name: environment[name] for name in _PLACES if environment.get(name)}
