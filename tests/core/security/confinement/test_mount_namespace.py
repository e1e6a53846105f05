"""The mount namespace: what was granted is where it was, and nothing else is there, no socket either."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.security.confinement.confined_child import run_confined
from tests.support.confinement.home import Person, folder_of, ordinary_person

ENTER = """
from core.security.confinement.mount_namespace import enter_mount_namespace
own, secret = Path(sys.argv[1]), Path(sys.argv[2])
say(enter_mount_namespace([*(grant.path for grant in system_grants()), own], own))
"""


def person() -> Person:
    """An ordinary user, for whom the kernel may make a user namespace."""
    found = ordinary_person() if sys.platform == "linux" else None
    if found is None or subprocess.run([*found.prefix, "unshare", "-Urm", "true"]).returncode:
        pytest.skip("users may make no namespaces here")
    return found


@pytest.fixture
def place() -> Iterator[tuple[Path, Path]]:
    """A folder to be granted and, elsewhere, one with a listening socket."""
    who = person()
    with folder_of(who) as own, folder_of(who) as others, contextlib.closing(socket.socket(socket.AF_UNIX)) as bus:
        own.chmod(0o777)
        bus.bind(str(others / "bus"))
        (others / "bus").chmod(0o777)
        bus.listen(8)
        yield own, others / "bus"


def test_what_was_granted_is_where_it_was_and_nothing_else_is_there(place: tuple[Path, Path]) -> None:
    who = person()
    script = (
        """
before = os.getuid()
line = socket.socket(socket.AF_UNIX)
say(tried(lambda: line.connect(sys.argv[2])))
"""
        + ENTER
        + """
(own / "file").write_text("kept")
say(secret.exists(), secret.parent.exists(), os.getuid() == before)
say(tried(lambda: socket.socket(socket.AF_UNIX).connect(str(secret))))
say(Path("/etc/hosts").exists(), Path("/etc/shadow").exists(), Path("/run").exists() and Path("/run/user").exists())
import json, ssl
subprocess.run(["/bin/sh", "-c", "true"], check=True)
say(tried(lambda: Path("/dev/null").write_bytes(b"x")))
"""
    )
    said = run_confined(script, *place, prefix=who.prefix, python=who.python)
    assert said == ["possible", "True", "False False True", "ENOENT", "True False False", "possible"]
    assert (place[0] / "file").read_text() == "kept"


def test_shared_memory_is_its_own(place: tuple[Path, Path]) -> None:
    who = person()
    script = (
        ENTER
        + """
from multiprocessing.shared_memory import SharedMemory
from core.security.confinement.landlock import abi_version, restrict_files
say(*os.listdir("/dev/shm"))
restrict_files([*system_grants(), Grant(own, "write")], abi_version())
SharedMemory("workerbee-test-of-namespace", create=True, size=1 << 20)
say(*os.listdir("/dev/shm"))
subprocess.run(["/bin/ls", "/dev/shm"], check=True)
"""
    )
    with tempfile.NamedTemporaryFile(dir="/dev/shm"):
        said = run_confined(script, *place, prefix=who.prefix, python=who.python)
    assert said == ["True", "", *["workerbee-test-of-namespace"] * 2]
    assert not Path("/dev/shm/workerbee-test-of-namespace").exists()


def test_where_no_namespace_can_be_made_nothing_has_happened(place: tuple[Path, Path]) -> None:
    """As in a container or under AppArmor: here, a filter refuses unshare."""
    who = person()
    script = (
        """
from core.security.confinement.landlock import refuse_new_privileges
from core.security.confinement.seccomp import refuse_system_calls
refuse_new_privileges()
refuse_system_calls()
before = os.getuid()
"""
        + ENTER
        + """
say(os.getuid() == before, secret.exists(), os.getcwd() != "/")
"""
    )
    assert run_confined(script, *place, prefix=who.prefix, python=who.python) == ["False", "True True True"]


def test_a_worker_says_that_the_sockets_are_a_gap_there(place: tuple[Path, Path]) -> None:
    who = person()
    script = """
from core.security.confinement.confine import confine
from core.security.confinement.landlock import SOCKETS_ABI, abi_version, refuse_new_privileges
from core.security.confinement.seccomp import refuse_system_calls
refuse_new_privileges()
refuse_system_calls()
own, secret = Path(sys.argv[1]), Path(sys.argv[2])
gaps = confine([*system_grants(), Grant(own, "write")], own)
is_open = tried(lambda: socket.socket(socket.AF_UNIX).connect(str(secret))) == "possible"
say(abi_version() < SOCKETS_ABI, "sockets" in gaps, is_open)
"""
    old, told, is_open = run_confined(script, *place, prefix=who.prefix, python=who.python)[0].split()
    assert old == told == is_open


def test_a_process_that_has_threads_already_is_not_said_to_be_confined() -> None:
    script = """
import threading
from core.security.confinement.confine import confine
stay = threading.Event()
threading.Thread(target=stay.wait, daemon=True).start()
say(*confine(system_grants(), Path(sys.argv[1])))
"""
    assert run_confined(script, tempfile.gettempdir()) == ["everything"]
