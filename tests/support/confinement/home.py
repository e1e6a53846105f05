"""A person's home folder with secrets, a program of theirs that runs, and the user that a worker is tried as."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.engine.worker_command import worker_environment
from tests.support.checkout import ROOT
from tests.support.confinement import bystander
from tests.support.confinement.probes import Targets

NOBODY = 65534


@dataclass(frozen=True)
class Person:
    """An ordinary user: the words before each of their commands, and a Python that they may run."""

    prefix: tuple[str, ...]
    python: str
    user: int

    def command(self, module: str, *words: str) -> list[str]:
        """The command line that runs a module of this checkout."""
        return [*self.prefix, self.python, "-P", "-m", module, *words]


@functools.cache
def ordinary_person() -> Person | None:
    """Whoever runs the tests; for root, nobody, if a Python with the libraries can be run by them; else ``None``."""
    if os.geteuid() != 0:
        return Person((), sys.executable, os.geteuid())
    prefix = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    if shutil.which(prefix[0]) is None:
        return None
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/{version}"):
        command = [
            *prefix,
            "sh",
            "-c",
            f"{python} -c 'import torch, hivemind'",
        ]  # sh, as setpriv itself may still do more
        tried = subprocess.run(command, env=environment(), capture_output=True)
        if tried.returncode == 0:
            return Person(prefix, python, NOBODY)
    return None


def environment() -> dict[str, str]:
    """That of a worker, in which any Python finds the libraries of this one."""
    paths = [str(ROOT), *(path for path in sys.path if path.endswith("site-packages"))]
    return worker_environment() | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}


@contextlib.contextmanager
def folder_of(person: Person) -> Iterator[Path]:
    """A folder that belongs to the person, where everybody may look; pytest's own are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="workerbee-confined-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def attacked_home(folder: Path, person: Person) -> Iterator[Targets]:
    """A home with keys, settings and engines, and a program of that person's with its sockets."""
    home, data, sockets = folder / "home", folder / "home" / "worker" / "data", folder / "run"
    secrets = [home / ".ssh" / "id_ed25519", home / ".bashrc", home / "settings.toml"]
    secrets += [data / "organiser" / "a-run" / "identity.key", data / "peers" / "7" / "identity.key"]
    secrets.append(data / "engines" / "other" / "torch.py")
    for secret in secrets:
        secret.parent.mkdir(parents=True, exist_ok=True)
        secret.write_text("secret")
    sockets.mkdir()
    (data / "fetched").mkdir()
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, person.user, person.user)
    command = [*person.prefix, person.python, "-P", bystander.__file__, str(sockets)]
    secret_environment = environment() | {bystander.SECRET: "secret"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=secret_environment) as program:
        assert program.stdout is not None and program.stdin is not None
        ready, port = program.stdout.readline().split()
        assert ready == b"ready"
        yield Targets(str(home), str(data), str(home / "settings.toml"), program.pid, str(sockets), int(port))
        program.stdin.close()


def encoded(targets: Targets) -> bytes:
    """The targets as the probes read them."""
    return json.dumps(vars(targets)).encode() + b"\n"
