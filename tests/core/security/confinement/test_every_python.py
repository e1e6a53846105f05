"""The confinement on every Python of this computer that we support: it needs nothing but the standard library.

What a process may use is looked up by processes that are confined already, and interpreters differ in how they do it:
Python 3.12's Path.glob lists every folder on the way, which those may not.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from core.security.confinement.landlock import abi_version
from core.worker.delegation.p2pd_process import p2pd_program
from tests.core.security.confinement.confined_child import run_confined

pytestmark = pytest.mark.skipif(sys.platform != "linux" or abi_version() < 1, reason="this kernel has no Landlock")

SUPPORTED = range(11, 15)

CONFINE = """
from core.security.confinement.confine import confine, confine_files
from core.security.confinement.grants import p2pd_grants, reading_grants
scratch, program = Path(sys.argv[1]), Path(sys.argv[2])
free = p2pd_grants(), reading_grants(), system_grants()
gaps = confine([*system_grants(), Grant(scratch, "write"), Grant(program, "run")], scratch)
say(sys.version_info[:2] == tuple(map(int, sys.argv[3].split("."))), "everything" in gaps)
say((p2pd_grants(), reading_grants(), system_grants()) == free)
"""
DELEGATE = """
confine_files([*reading_grants(), *p2pd_grants(), Grant(program, "run")])
say(p2pd_grants() == free[0])

def enter_cage():
    confine_files([*p2pd_grants(), Grant(program, "run")])

ended = subprocess.run([program, "--help"], preexec_fn=enter_cage, capture_output=True)
say("-announceAddrs" in ended.stderr.decode() + ended.stdout.decode())
say(tried(lambda: subprocess.run(["/bin/true"], preexec_fn=enter_cage)))
"""


def installed_pythons() -> list[Path]:
    """By their own names and by pyenv, of each version one."""
    folders = [Path(folder) for folder in os.get_exec_path() if "shims" not in folder]
    named = [folder / f"python3.{minor}" for minor in SUPPORTED for folder in folders]
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    built = [path for minor in SUPPORTED for path in sorted(versions.glob(f"3.{minor}.*/bin/python3.{minor}"))]
    found = {path.name: path for path in (*reversed(built), *reversed(named)) if path.exists()}
    return [found[name] for name in sorted(found)]


@pytest.mark.parametrize("python", installed_pythons(), ids=lambda path: path.name)
def test_a_confined_process_finds_what_it_grants_and_starts_p2pd_in_its_cage(python: Path, tmp_path: Path) -> None:
    program, version = p2pd_program(), python.name.removeprefix("python")
    assert program is not None
    said = run_confined(CONFINE + DELEGATE, tmp_path, program, version, python=str(python))
    assert said == ["True False", "True", "True", "True", "EACCES"]
