"""A fork server for Python modules that need torch and hivemind: `python -m` without the seconds of imports.

Importing torch and hivemind costs three seconds of a core, once for every peer that a test starts. The server
imports them once for a whole test process and forks each peer from there. What it forks is a process of its
own in every respect: process group, streams, environment, working folder, signals and exit code. It starts no
thread and no event loop, since neither survives a fork.

Tests about how a worker starts and ends use `subprocess.Popen`, as the client does.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MARK = "WORKERBEE_TEST_FAMILY"
MARK_LENGTH = 40  # the server's own environment reserves as many bytes for the mark of a child
MAX_REQUEST_BYTES = 1 << 20
NETWORKS = Path("/run/netns")  # where ip keeps its network namespaces
_STREAMS = 3
_CLONE_NEWNET = 0x40000000
PRELOADED = (
    "core.worker.roles.organiser",
    "core.worker.roles.volunteer",
    "tests.support.forked.own_locks",
)

# What importing hivemind reads; core.worker.process.process_tree sets it before that in a worker.
SHARING = {"HIVEMIND_MEMORY_SHARING_STRATEGY": "file_descriptor"}


def preload() -> None:
    """Import what every peer imports sooner or later."""
    for module in PRELOADED:
        importlib.import_module(module)


@dataclass(frozen=True)
class Request:
    """A module to run as ``python -m`` would, and what belongs to its process."""

    module: str
    arguments: list[str]
    environment: dict[str, str]
    folder: str
    network: str = ""  # a network namespace, by the name that iproute2 knows it by

    def encode(self) -> bytes:
        """The request as one message."""
        return json.dumps(vars(self)).encode()


class Server:
    """Forks a child for each request and tells its end; ``serve`` returns in each child with its request."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._lines: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        self._wake_up, wake_up = os.pipe()
        os.set_blocking(self._wake_up, False)
        os.set_blocking(wake_up, False)
        signal.set_wakeup_fd(wake_up)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._wake_up, selectors.EVENT_READ)

    def serve(self) -> Request | None:
        """In a child its request; in the server itself ``None``, once nobody asks any more."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is not self._control:
                    self._reap()
                    continue
                message, descriptors = _receive(self._control)
                if not message:
                    return None
                request = Request(**json.loads(message))
                *streams, line = descriptors
                if pid := os.fork():
                    self._lines[pid] = socket.socket(fileno=line)
                    for stream in streams:
                        os.close(stream)
                else:
                    self._forget()
                    _become(request, streams, line)
                    return request

    def _forget(self) -> None:
        """In a child: no object may close a descriptor later whose number means something else by then."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for line in (self._control, *self._lines.values()):
            line.detach()

    def _reap(self) -> None:
        os.read(self._wake_up, 4096)
        while self._lines:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            with self._lines.pop(pid) as line:
                _say(line, "exit", os.waitstatus_to_exitcode(status))


def _say(line: socket.socket, what: str, number: int) -> None:
    """To whoever asked for that child, if it still listens."""
    with contextlib.suppress(OSError):
        line.send(f"{what} {number}".encode())


def _receive(control: socket.socket) -> tuple[bytes, list[int]]:
    descriptors = array.array("i")
    space = socket.CMSG_SPACE((_STREAMS + 1) * descriptors.itemsize)
    message, ancillary, _, _ = control.recvmsg(MAX_REQUEST_BYTES, space)
    for _level, _type, data in ancillary:
        descriptors.frombytes(data)
    return message, list(descriptors)


def _become(request: Request, streams: list[int], line: int) -> None:
    """Have what `subprocess.Popen` and `ip netns exec` would have given; only then is the child known to anybody."""
    os.setpgid(0, 0)
    if request.network:
        _enter_network(NETWORKS / request.network)
    _show_mark(request.environment)
    os.environ.clear()
    os.environ.update(request.environment)
    os.chdir(request.folder)
    sys.argv = [request.module, *request.arguments]
    with socket.socket(fileno=line) as known:
        _say(known, "pid", os.getpid())
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    highest = max(int(descriptor.name) for descriptor in Path("/proc/self/fd").iterdir())
    os.closerange(_STREAMS, highest + 1)


def _enter_network(network: Path) -> None:
    """Raises OSError where there is no such namespace, or where only root may enter it."""
    libc = ctypes.CDLL(None, use_errno=True)
    with network.open() as file:
        if libc.setns(file.fileno(), _CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"cannot enter {network}")


def _show_mark(environment: Mapping[str, str]) -> None:
    """Write the mark where /proc/PID/environ shows what a process was started with: a fork alone keeps it."""
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_void_p
    place = libc.getenv(MARK.encode())
    ctypes.memmove(place, environment[MARK].encode().ljust(MARK_LENGTH), MARK_LENGTH)


def main() -> None:
    """Serve on the descriptor that is named; a child goes on as the module that it was forked for.

    The server leaves the family of whoever started it, which tests look at; it ends with the descriptor.
    """
    if os.fork():
        return
    control = socket.socket(fileno=int(sys.argv[1]))
    os.environ.update(SHARING)
    preload()
    gc.collect()
    gc.freeze()
    control.send(b"ready")
    request = Server(control).serve()
    if request is not None:
        importlib.import_module("tests.support.forked.own_locks").make_own_locks()
        runpy.run_module(request.module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
