"""What asks something of the network for a worker that may not: dialling, listening, and choosing a route.

A confined worker makes no sockets of the internet protocols. A process that is as free in the network as p2pd, which it
starts, does these few things for it, each in a child of its own.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Literal, NoReturn

import msgspec

from core.security.confinement.confine import leave_descriptors
from core.worker.delegation.calls import Caller, ask, serve_caller, socket_of
from core.worker.delegation.p2pd_process import P2pd, StartP2pd
from core.worker.delegation.upload_limit import LimitUpload

ProbeResult = Literal["open", "refused", "timeout"]
"""A peer may be there; its computer is there, and no peer; nothing is heard, as where a line is cut."""

SLACK_SECONDS = 0.5  # beyond what a probe may last, for a computer that does much else


class Dial(msgspec.Struct, tag=True, frozen=True):
    """Connect to all of these hosts and TCP ports at once, within so many seconds, and hang up."""

    endpoints: tuple[tuple[str, int], ...]
    seconds: float


class Listen(msgspec.Struct, tag=True, frozen=True):
    """Listen for a moment on a TCP port, 0 being any; ``is_shared`` as those would who share it, as p2pd does."""

    host: str
    port: int
    is_shared: bool


class Route(msgspec.Struct, tag=True, frozen=True):
    """Choose a route to an IP address, to which nothing is sent."""

    towards: str


def dial(endpoints: Sequence[tuple[str, int]], seconds: float) -> Iterator[tuple[int, ProbeResult]]:
    """The place of each endpoint with its result, as they come; those that are missing at the end have not answered."""
    path, request = socket_of("network"), Dial(tuple(endpoints), seconds)
    return _dialled(request) if path is None else ask(path, request, tuple[int, ProbeResult])


def free_port(host: str, port: int, *, is_shared: bool) -> int:
    """The port, if this computer lets somebody listen there now; raises OSError."""
    path, request = socket_of("network"), Listen(host, port, is_shared)
    return _listened(request) if path is None else next(ask(path, request, int))


def own_address(towards: str) -> str:
    """Our own IP address on the way to that one; empty where there is no way."""
    path, request = socket_of("network"), Route(towards)
    return _routed(request) if path is None else next(ask(path, request, str))


def serve_network(listener: socket.socket, p2pd: P2pd) -> NoReturn:
    """Do what the worker asks for, each in a child; this process has one thread, and must keep it."""

    def perform(request: Dial | Listen | Route | StartP2pd | LimitUpload, caller: Caller) -> Iterator[object]:
        if not isinstance(request, StartP2pd):  # p2pd's parent alone takes its sockets, to count and pace them
            leave_descriptors()
        match request:
            case Dial():
                yield from _dialled(request)
            case Listen():
                yield _listened(request)
            case Route():
                yield _routed(request)
            case StartP2pd():
                p2pd.run(request, caller)
            case LimitUpload():
                p2pd.upload.limit = request.bytes_a_second
                yield p2pd.upload.state

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    while True:
        connection, _ = listener.accept()
        with connection:
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                try:
                    serve_caller(connection, Dial | Listen | Route | StartP2pd | LimitUpload, perform)
                finally:
                    os._exit(0)


def _dialled(request: Dial) -> Iterator[tuple[int, ProbeResult]]:
    """A name lookup cannot be cut short; a thread that hangs in one is left to itself."""
    found: queue.SimpleQueue[tuple[int, ProbeResult]] = queue.SimpleQueue()
    for place, endpoint in enumerate(request.endpoints):
        run = _Dialling(place, endpoint, request.seconds, found).run
        threading.Thread(target=run, name="tcp probe", daemon=True).start()
    deadline = time.monotonic() + request.seconds + SLACK_SECONDS
    with contextlib.suppress(queue.Empty):
        for _ in request.endpoints:
            yield found.get(timeout=max(0.0, deadline - time.monotonic()))


class _Dialling:
    def __init__(
        self, place: int, endpoint: tuple[str, int], seconds: float, found: queue.SimpleQueue[tuple[int, ProbeResult]]
    ) -> None:
        self._place, self._endpoint, self._seconds, self._found = place, endpoint, seconds, found

    def run(self) -> None:
        self._found.put((self._place, self._result()))

    def _result(self) -> ProbeResult:
        try:
            with socket.create_connection(self._endpoint, self._seconds):
                return "open"
        except ConnectionRefusedError:
            return "refused"
        except (OSError, ValueError):  # ValueError: a name that no lookup can encode
            return "timeout"


def _listened(request: Listen) -> int:
    is_ipv6 = ":" in request.host
    with socket.socket(socket.AF_INET6 if is_ipv6 else socket.AF_INET) as listener:
        if request.is_shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if is_ipv6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((request.host, request.port))
        return int(listener.getsockname()[1])


def _routed(request: Route) -> str:
    family = socket.AF_INET6 if ":" in request.towards else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as route:
            route.connect((request.towards, 9))
            return str(route.getsockname()[0])
    except OSError:
        return ""
