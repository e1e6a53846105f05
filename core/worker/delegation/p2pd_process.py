"""p2pd in a cage of its own: it reads its key and what Go asks the system, and writes nothing but its sockets."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import msgspec

from core.security.confinement.confine import confine_files, leave_descriptors
from core.security.confinement.grants import Grant, p2pd_grants
from core.worker.delegation import p2pd_stub
from core.worker.delegation.calls import Caller, socket_of
from core.worker.delegation.tcp_counting import TcpTraffic, tcp_traffic
from core.worker.delegation.tcp_pacing import SharedLimit
from core.worker.delegation.tcp_watch import TcpWatch

CAGED = "p2p"
"""The name of the folder for the sockets of a caged p2pd, and of those who talk to it."""
GOODBYE_SECONDS = 5.0
_PR_SET_PDEATHSIG = 1


class StartP2pd(msgspec.Struct, tag=True, frozen=True):
    """Run p2pd with these arguments and, besides those of this process, these environment variables of Go's.

    The descriptor that comes along takes what it prints. It ends with the connection; that ends with it.
    """

    arguments: tuple[str, ...]
    environment: dict[str, str]


def p2pd_program() -> Path | None:
    """The program that hivemind's package brings along; nothing is imported."""
    spec = find_spec("hivemind")
    folders = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(folders)), "hivemind_cli", "p2pd") if folders else None


def p2pd_sockets(scratch: Path) -> Path:
    """The folder for p2pd's sockets in a worker's temporary folder: one of its own where p2pd is in a cage."""
    caged = scratch / CAGED
    return caged if caged.is_dir() else scratch


def stub_command() -> list[str]:
    """What to put before p2pd's arguments, its name among them, to have it run in its cage; empty without one."""
    path = socket_of("network")
    return [] if path is None else [sys.executable, "-I", "-S", p2pd_stub.__file__, str(path)]


@dataclass(frozen=True)
class P2pd:
    """The program, the folder for its sockets, the key that it may read, what it may upload, and what it has moved."""

    program: Path
    sockets: Path
    identity: Path
    upload: SharedLimit = field(default_factory=SharedLimit)
    traffic: TcpTraffic = field(default_factory=tcp_traffic)

    @property
    def grants(self) -> Sequence[Grant]:
        """All that it may use."""
        own = (Grant(self.program, "run"), Grant(self.sockets, "sockets"), Grant(self.identity, "read"))
        return (*p2pd_grants(), *own)

    def run(self, request: StartP2pd, caller: Caller) -> None:
        """Run it until it ends, or the caller hangs up or wants no more."""
        if caller.descriptor is None:
            return
        go = {name: value for name, value in request.environment.items() if name.startswith("GO")}
        with subprocess.Popen(
            [self.program, *request.arguments],
            env=os.environ | go,
            stdin=subprocess.DEVNULL,
            stdout=caller.descriptor,
            stderr=subprocess.STDOUT,
            preexec_fn=self.enter_cage,
        ) as process:
            os.close(caller.descriptor)
            _wait(process, caller.connection, TcpWatch(process.pid, self.upload, self.traffic))

    def enter_cage(self) -> None:
        """In p2pd's process, before it is p2pd: it ends with this one, and has its own grants only."""
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        leave_descriptors()
        confine_files(self.grants)


def _wait(process: subprocess.Popen[bytes], connection: socket.socket, watch: TcpWatch) -> None:
    ended, ready = os.pidfd_open(process.pid), list[int]()
    try:
        while not ready:
            ready = select.select([ended, connection.fileno()], [], [], watch.look())[0]
        if ended in ready:
            return
    finally:
        os.close(ended)
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(GOODBYE_SECONDS)
    process.kill()
