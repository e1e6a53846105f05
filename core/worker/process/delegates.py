"""The processes that do for a confined worker what it may not: one fetches files, one starts p2pd and dials to ask."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import socket
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from core.files.folders import DataFolder
from core.security.confinement.confine import confine_files, leave_descriptors
from core.security.confinement.grants import Grant, reading_grants
from core.worker.delegation.calls import DELEGATES, Delegate, delegate_to
from core.worker.delegation.network import serve_network
from core.worker.delegation.p2pd_process import CAGED, P2pd, p2pd_program, p2pd_sockets
from core.worker.fetch.fetcher import serve_fetcher

_PR_SET_PDEATHSIG, _PR_SET_NAME = 1, 15
_WAITING_CALLERS = 128

log = logging.getLogger(__name__)


def start_fetcher(data: DataFolder, scratch: Path) -> None:
    """Start the process that fetches files: it writes into the folder for them, and a temporary one."""
    own = scratch / "fetcher"
    own.mkdir(mode=0o700)
    grants = (*reading_grants(), Grant(data.fetched, "write"), Grant(own, "write"))

    def run(listener: socket.socket) -> None:
        leave_descriptors()
        tempfile.tempdir = os.environ["TMPDIR"] = os.environ["HOME"] = str(own)
        serve_fetcher(listener)

    _start("fetcher", scratch, grants, run)


def start_network(identity: Path, scratch: Path) -> None:
    """Start the process that starts p2pd, with that key, and does what little else the worker asks of the network."""
    program = p2pd_program()
    if program is None:
        return
    (scratch / CAGED).mkdir(mode=0o700)
    p2pd = P2pd(program, p2pd_sockets(scratch), identity)
    grants = (*reading_grants(), *p2pd.grants)
    _start("network", scratch, grants, lambda listener: serve_network(listener, p2pd))


def _start(delegate: Delegate, scratch: Path, grants: Sequence[Grant], run: Callable[[socket.socket], None]) -> None:
    """Fork while this process has one thread: what the child needs is there, and it ends with its parent."""
    path, parent = scratch / f"{delegate}.sock", os.getpid()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen(_WAITING_CALLERS)
        if os.fork() == 0:
            try:
                _become_delegate(delegate, parent)
                confine_files(grants)
                run(listener)
            except BaseException:
                log.exception("the process “%s” cannot go on", delegate)
            finally:
                os._exit(1)
    delegate_to(delegate, path)


def _become_delegate(delegate: Delegate, parent: int) -> None:
    """Take on the delegate's name, and end with the parent."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_NAME, DELEGATES[delegate].encode())
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
