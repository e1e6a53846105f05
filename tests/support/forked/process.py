"""Processes forked by the fork server, with the methods of `subprocess.Popen` that tests use."""

from __future__ import annotations

import array
import contextlib
import functools
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from core.engine.worker_command import worker_environment
from tests.support.checkout import ROOT
from tests.support.environment.network_namespaces import NAMES
from tests.support.forked.server import MARK, MARK_LENGTH, Request

_WITHIN = ("ip", "netns", "exec")
START_SECONDS = 240.0  # for the server's imports, on a computer that does much else


class ForkedProcess:
    """A process of its own, whose parent is the fork server; ``stdin`` and ``stdout`` are pipes."""

    def __init__(self, command: Sequence[str], log: IO[bytes], environment: Mapping[str, str]) -> None:
        network = command[len(_WITHIN)] if command[0] == _WITHIN[0] else ""
        module, *arguments = command[command.index("-m") + 1 :]
        request = Request(module, arguments, dict(environment), str(Path.cwd()), network)
        (its_stdin, to_it), (from_it, its_stdout) = os.pipe(), os.pipe()
        self._line, far_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        _server().fork(request, [its_stdin, its_stdout, log.fileno(), far_end.fileno()])
        far_end.close()
        os.close(its_stdin)
        os.close(its_stdout)
        self.stdin, self.stdout = os.fdopen(to_it, "wb"), os.fdopen(from_it, "rb")
        self.returncode: int | None = None
        try:
            self.pid = self._number("pid", START_SECONDS)
        except BaseException:
            for end in (self._line, self.stdin, self.stdout):
                end.close()
            raise

    def poll(self) -> int | None:
        """Its exit code, or ``None`` while it lives."""
        try:
            return self.wait(0.0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, once it has ended; raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            self.returncode = self._number("exit", timeout)
            self._line.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it has ended, and the server has yet to tell
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def _number(self, what: str, seconds: float | None) -> int:
        self._line.settimeout(seconds)
        try:
            said = self._line.recv(64)
        except (TimeoutError, BlockingIOError):
            raise subprocess.TimeoutExpired("a forked process", seconds or 0.0) from None
        kind, _, number = said.decode().partition(" ")
        assert kind == what, f"{said!r} instead of its {what}"
        return int(number)


class _ForkServer:
    """The server of this process, which ends with it."""

    def __init__(self) -> None:
        self._control, far_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with far_end:
            subprocess.run(
                [sys.executable, "-P", "-m", "tests.support.forked.server", str(far_end.fileno())],
                env={**worker_environment(), MARK: "".ljust(MARK_LENGTH)},
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[far_end.fileno()],
                process_group=0,
                check=True,
            )
        self._control.settimeout(START_SECONDS)
        assert self._control.recv(64) == b"ready"

    def fork(self, request: Request, descriptors: Sequence[int]) -> None:
        """Fork a child with these as its streams and as the line on which its end is told."""
        numbers = array.array("i", descriptors)
        self._control.sendmsg([request.encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, numbers)])


_starting = threading.Lock()


def _server() -> _ForkServer:
    """The only one of this process, whichever thread asks first."""
    with _starting:
        return _first_server()


@functools.cache
def _first_server() -> _ForkServer:
    return _ForkServer()


def can_fork(command: Sequence[str]) -> bool:
    """Whether that command runs a module with this Python, perhaps in a network, and is no other program.

    What `ip netns exec` mounts for a network that has settings of its own is left to itself.
    """
    first = command
    if tuple(command[: len(_WITHIN)]) == _WITHIN:
        name, *first = command[len(_WITHIN) :]
        if (NAMES / name).exists():
            return False
    return first[0] == sys.executable and "-m" in first[1:3]
