"""A process that confines itself, and says what it can still do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.support.checkout import ROOT

_BEGIN = """
import errno, os, signal, socket, subprocess, sys
from pathlib import Path
from core.security.confinement.grants import Grant, system_grants

def say(*words):
    print(*words, flush=True)

def tried(deed):
    try:
        deed()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "possible"

"""


def run_confined(
    script: str, *words: str | Path, prefix: Sequence[str] = (), python: str = sys.executable, **variables: str
) -> list[str]:
    """The lines that the script says in a process of its own; ``words`` are its arguments."""
    command = [*prefix, python, "-P", "-c", _BEGIN + script, *map(str, words)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"} | variables
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
