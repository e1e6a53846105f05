"""The computer itself is in trouble: its memory, its disk, its clock, or whoever tells it addresses."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from core.errors import ErrorKind
from core.protocol.events import AnyEvent, Failed, Restarting, RoundFinished
from core.run.spec.collaboration import Mode
from tests.support.checkout import ROOT
from tests.support.environment.network_namespaces import Internet
from tests.support.real_peers import PATIENCE_SECONDS, LineProcess, Peer, PeerGroup, averaged, tiny, worker_of

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

in_each_mode = pytest.mark.parametrize("mode", get_args(Mode))
OLDER = Path("/sys/fs/cgroup/memory")  # the kernel's older interface to groups of processes
if OLDER.exists():
    LIMIT, USED, UNLIMITED = "memory.limit_in_bytes", "memory.usage_in_bytes", "-1"
else:
    LIMIT, USED, UNLIMITED = "memory.max", "memory.current", "max"
LITTLE_BYTES, MUCH_BYTES = 24_000_000, 200_000_000
SMALL_DISK = "8m"
FULL_SECONDS = 15.0
FIVE_MINUTES = "300"
AGAIN = 3  # a round or two may have begun before
HOG = f"""
import sys, threading
sys.stdin.readline()
hoard = b"x" * {MUCH_BYTES}
threading.Event().wait()
"""


@pytest.mark.networks
@in_each_mode
def test_where_nobody_tells_the_addresses_of_names_the_other_addresses_count(
    group: PeerGroup, net: Internet, mode: Mode
) -> None:
    here, there, silent = net.host(), net.host(), net.host()
    silent.use_firewall()
    here.ask_names_of(silent)
    organiser = group.at(there).organiser(manifest=tiny(mode=mode))
    name = f"/dns4/organiser.example/tcp/31337/p2p/{organiser.peer_id}"
    lost = group.at(here).newcomer(name, "lost")
    assert ErrorKind.from_key(lost.wait_for(Failed).problem) is ErrorKind.NOBODY_ANSWERS
    client = group.at(here).client(f"{name} {organiser.posted}", "volunteer", "client")
    client.wait_for(RoundFinished, averaged)


@in_each_mode
def test_a_worker_that_the_kernel_has_killed_for_its_memory_comes_back(group: PeerGroup, mode: Mode) -> None:
    organiser = group.organiser(manifest=tiny(mode=mode))
    with group_of_processes() as cgroup:
        enter = f'echo $$ > {cgroup}/cgroup.procs && exec "$@"'
        client = group.under("sh", "-c", enter, "sh").client(organiser.posted, "volunteer", "client")
        client.wait_for(RoundFinished, averaged)
        since = len(client.said)
        with hog(cgroup):
            client.wait_for(Restarting, since=since)
        since, here = len(client.said), len(organiser.said)
        client.wait_for(RoundFinished, averaged, since=since, seconds=PATIENCE_SECONDS)
        organiser.wait_for(RoundFinished, averaged, since=here)


@contextlib.contextmanager
def group_of_processes() -> Iterator[Path]:
    """A cgroup whose memory the kernel counts and may limit."""
    cgroup = (OLDER if OLDER.exists() else OLDER.parent) / f"workerbee-{os.getpid()}"
    try:
        cgroup.mkdir()
        (cgroup / LIMIT).read_text()
    except OSError as error:
        pytest.skip(f"this system lets nobody limit memory: {error}")
    try:
        yield cgroup
    finally:
        leave_little_memory(cgroup, None)
        for pid in (cgroup / "cgroup.procs").read_text().split():
            (cgroup.parent / "cgroup.procs").write_text(pid)
        cgroup.rmdir()


def leave_little_memory(cgroup: Path, most_bytes: int | None = LITTLE_BYTES) -> None:
    """So much more than is used now, or as much as there is."""
    used = int((cgroup / USED).read_text())
    limit = UNLIMITED if most_bytes is None else str(used + most_bytes)
    (cgroup / LIMIT).write_text(limit)


@contextlib.contextmanager
def hog(cgroup: Path) -> Iterator[None]:
    """Somebody who wants much more memory than the cgroup has left: the kernel kills whoever has most."""
    with subprocess.Popen([sys.executable, "-c", HOG], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        (cgroup / "cgroup.procs").write_text(str(process.pid))
        leave_little_memory(cgroup)
        process.stdin.write(b"begin\n")
        process.stdin.flush()
        try:
            yield
        finally:
            process.kill()


def test_on_a_full_disk_a_volunteer_goes_on_and_even_begins_anew(group: PeerGroup) -> None:
    organiser = group.organiser()
    with small_disk(group.folder / "volunteer") as disk:
        client = group.client(organiser.posted, "volunteer", "client")
        client.wait_for(RoundFinished, averaged)
        fill(disk)
        client.wait_for(RoundFinished, averaged, since=len(client.said))
        since = len(client.said)
        worker_of(client).kill()
        client.wait_for(Restarting, since=since)
        client.wait_for(RoundFinished, averaged, since=len(client.said), seconds=PATIENCE_SECONDS)
        client.end()


def test_who_has_never_been_there_is_told_that_the_disk_is_full(group: PeerGroup) -> None:
    organiser = group.organiser()
    with small_disk(group.folder / "newcomer") as disk:
        fill(disk)
        newcomer = group.newcomer(organiser.posted, "newcomer")
        assert ErrorKind.from_key(newcomer.wait_for(Failed).problem) is ErrorKind.DISK_FULL
        assert str(disk) in str(newcomer.wait_for(Failed).detail)
        newcomer.end()


def test_a_volunteer_that_begins_on_a_full_disk_waits_for_room(group: PeerGroup) -> None:
    organiser = group.organiser()
    with small_disk(group.folder / "volunteer") as disk:
        fill(disk)
        deleting = threading.Timer(FULL_SECONDS, (disk / "film").unlink)
        deleting.start()
        client = group.client(organiser.posted, "volunteer", "client")  # which waits until it trains
        full = [event for event in client.said if isinstance(event, Restarting)]
        assert full and {event.problem for event in full} == {ErrorKind.DISK_FULL.key}
        assert all(str(disk) in str(event.detail) for event in full)
        client.wait_for(RoundFinished, averaged)
        client.end()


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk with room for a few files only."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK},mode=700", "tmpfs", str(folder)]
    if (done := subprocess.run(mount, capture_output=True, text=True, check=False)).returncode:
        pytest.skip(f"this system lets nobody mount a small disk: {done.stderr}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> None:
    """To the last byte."""
    with contextlib.suppress(OSError), (disk / "film").open("wb", buffering=0) as film:
        while film.write(bytes(4096)):
            pass


def test_a_clock_that_is_set_changes_nothing_and_a_wrong_one_is_waited_for(group: PeerGroup, tmp_path: Path) -> None:
    organiser = group.organiser()
    clock = tmp_path / "clock"
    clock.write_text("0")
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests" / "support" / "environment" / "wrong_clock")))
    client = group.client(organiser.posted, "volunteer", "client", PYTHONPATH=path, WORKERBEE_TEST_CLOCK=str(clock))
    client.wait_for(RoundFinished, averaged)
    clock.write_text(FIVE_MINUTES)
    goes_on(client, organiser)
    since = len(client.said)
    worker_of(client).kill()
    wrong = ErrorKind.CLOCK_WRONG.key
    client.wait_for(Restarting, lambda event: event.problem == wrong, since=since)
    clock.write_text("0")
    goes_on(client, organiser)


def goes_on(client: LineProcess[AnyEvent], organiser: Peer) -> None:
    """From now on, epoch after epoch, both average with each other."""
    for _ in range(AGAIN):
        here, there = len(client.said), len(organiser.said)
        client.wait_for(RoundFinished, averaged, since=here)
        organiser.wait_for(RoundFinished, averaged, since=there)
