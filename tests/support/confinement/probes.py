"""What a broken-into worker would try: as a program it reads targets and says what came of each probe.

Targets are one line of JSON on stdin (`Targets`); the answer is one line of JSON with, for each probe, why it was
refused, or ``possible``. With nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import errno
import fcntl
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
from collections.abc import Callable
from pathlib import Path

from core.security.confinement.system_calls import BY_MACHINE, PIDFD_GETFD
from tests.support.confinement.bystander import SECRET, SOCKETS, shared_memory

POSSIBLE = "possible"
_MPTCP = 262
_PTRACE_SEIZE, _PTRACE_DETACH, _CLONE_NEWUSER = 0x4206, 17, 0x10000000
_CALLS = BY_MACHINE[os.uname().machine].refused


@dataclasses.dataclass(frozen=True)
class Targets:
    """Whom to attack: folders of the person, and a program of theirs: its process id, and where it listens."""

    home: str
    data: str
    settings: str
    pid: int
    sockets: str
    port: int


class RefusedError(Exception):
    """The system has refused an attempt, in a way that is no OSError."""


Probe = Callable[[Targets], object]


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result = int(libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _kernel(name: str, *arguments: object) -> Probe:
    return lambda _targets: _call(_CALLS[name], *arguments)


def _ptrace(targets: Targets) -> None:
    _call(_CALLS["ptrace"], _PTRACE_SEIZE, targets.pid, None, None)
    os.kill(targets.pid, signal.SIGSTOP)  # only a stopped process can be let go
    os.waitpid(targets.pid, 0x40000000)
    _call(_CALLS["ptrace"], _PTRACE_DETACH, targets.pid, None, None)
    os.kill(targets.pid, signal.SIGCONT)


def _read_memory(targets: Targets) -> None:
    """At an address where nothing is: EFAULT says that reading is allowed."""
    into = ctypes.create_string_buffer(16)
    local, remote = (ctypes.c_size_t * 2)(ctypes.addressof(into), 16), (ctypes.c_size_t * 2)(4096, 16)
    one, none = ctypes.c_ulong(1), ctypes.c_ulong(0)
    try:
        _call(_CALLS["process_vm_readv"], targets.pid, local, one, remote, one, none)
    except OSError as error:
        if error.errno != errno.EFAULT:
            raise


def _take_descriptor(targets: Targets) -> None:
    process = os.pidfd_open(targets.pid)
    try:
        os.close(_call(PIDFD_GETFD, process, 1, 0))
    finally:
        os.close(process)


def _limit(targets: Targets) -> None:
    """To what it may have already: less of the processor's time would end it."""
    limits = resource.prlimit(targets.pid, resource.RLIMIT_CPU)
    resource.prlimit(targets.pid, resource.RLIMIT_CPU, limits)


def _attach_memory(_targets: Targets) -> None:
    """Of a System V segment that is not there: EINVAL says that another would be attached."""
    try:
        _call(_CALLS["shmat"], -1, None, 0)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise


def _read_environment(targets: Targets) -> None:
    if SECRET not in Path(f"/proc/{targets.pid}/environ").read_text():
        raise RefusedError("it is empty")


def _connect(name: str) -> Probe:
    def connect(targets: Targets) -> None:
        address = f"\0{targets.sockets}" if name == "abstract" else f"{targets.sockets}/{name}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.connect(address)

    return connect


def _connect_through_proc(targets: Targets) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.connect(f"/proc/{targets.pid}/root{targets.sockets}/{SOCKETS[0]}")


def _connect_to_port(targets: Targets) -> None:
    """Of this computer, which stands for any other; the port is none of the web's."""
    socket.create_connection(("127.0.0.1", targets.port), 5).close()


def _listen_on_port(_targets: Targets) -> None:
    socket.create_server(("127.0.0.1", 0)).close()


def _send_datagram(targets: Targets) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.sendto(b"x", ("127.0.0.1", targets.port))


def _connect_past_tcp(targets: Targets) -> None:
    """Multipath TCP, of which Landlock knows nothing; it falls back to TCP. A kernel may have none."""
    try:
        line = socket.socket(socket.AF_INET, socket.SOCK_STREAM, _MPTCP)
    except OSError as error:
        if error.errno in (errno.EPROTONOSUPPORT, errno.ENOPROTOOPT):
            raise RefusedError("this kernel has none") from error
        raise
    with line:
        line.connect(("127.0.0.1", targets.port))


def _mount(_targets: Targets) -> None:
    """A file system that there is none of: ENODEV says that another would be mounted."""
    try:
        _call(_CALLS["mount"], b"none", b"/", b"no-file-system", ctypes.c_ulong(0), None)
    except OSError as error:
        if error.errno != errno.ENODEV:
            raise


def _unshare(_targets: Targets) -> None:
    """In a child, which would stay in the namespace."""
    code = f"import ctypes; raise SystemExit(ctypes.CDLL(None).unshare({_CLONE_NEWUSER}) != 0)"
    if subprocess.run([sys.executable, "-S", "-c", code]).returncode:
        raise RefusedError("in a child")


def _clone_with_namespace(_targets: Targets) -> None:
    calls = BY_MACHINE[os.uname().machine]
    child = _call(calls.clone, ctypes.c_ulong(_CLONE_NEWUSER | signal.SIGCHLD), None, None, None, None)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _run_own_file(_targets: Targets) -> None:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program")
        program.write_text("#!/bin/sh\nexit 0\n")
        program.chmod(0o700)
        subprocess.run([program], check=True)


def _more_tasks_than_allowed(_targets: Targets) -> None:
    """Threads, which the kernel counts as it does processes, and which cost less."""
    most = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    stop, tasks = threading.Event(), []
    if not 0 < most < 50_000:
        return
    threading.stack_size(65536)
    try:
        for _ in range(most + 1):
            tasks.append(threading.Thread(target=stop.wait, daemon=True))
            tasks[-1].start()
    except RuntimeError as error:
        tasks.pop()
        raise RefusedError(f"after {len(tasks)} of {most}") from error
    finally:
        stop.set()
        for task in tasks:
            task.join()


def _raise_limit(limit: int) -> Probe:
    def attempt(_targets: Targets) -> None:
        hard = resource.getrlimit(limit)[1]
        if hard != resource.RLIM_INFINITY:
            resource.setrlimit(limit, (hard + 1, hard + 1))

    return attempt


def _dump_core(_targets: Targets) -> None:
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            os.chdir(folder)
            os.abort()
        if not os.WCOREDUMP(os.waitpid(child, 0)[1]):
            raise RefusedError("no core was dumped")


def _find_secrets(_targets: Targets) -> None:
    names = {"HF_TOKEN", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "AWS_SECRET_ACCESS_KEY", SECRET}
    if names & os.environ.keys():
        return
    parent = Path(f"/proc/{os.getppid()}/environ").read_text()
    if not any(f"{name}=" in parent for name in names):
        raise RefusedError("there are none")


def _gain_privileges(_targets: Targets) -> None:
    if "NoNewPrivs:\t1" in Path("/proc/self/status").read_text():
        raise RefusedError("no_new_privs is set")


def _listen_to_packets(_targets: Targets) -> None:
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()


def _load_bpf(_targets: Targets) -> None:
    """A map without a size: EINVAL says that another would be made."""
    try:
        _call(_CALLS["bpf"], 0, ctypes.byref(_EVENT), ctypes.sizeof(_EVENT))
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise


def _type_into_terminal(_targets: Targets) -> None:
    """ENOTTY says that only a terminal is missing."""
    try:
        fcntl.ioctl(os.open(os.devnull, os.O_RDONLY), termios.TIOCSTI, b"x")
    except OSError as error:
        if error.errno != errno.ENOTTY:
            raise


def _append(path: Path) -> None:
    with path.open("ab"):
        pass


_RING, _EVENT = ctypes.create_string_buffer(120), ctypes.create_string_buffer(128)
PROBES: dict[str, Probe] = {
    "read an SSH key": lambda targets: Path(targets.home, ".ssh", "id_ed25519").read_bytes(),
    "list the home folder": lambda targets: list(Path(targets.home).iterdir()),
    "write .bashrc": lambda targets: _append(Path(targets.home, ".bashrc")),
    "make a file that starts at login": lambda targets: _append(Path(targets.home, "autostart.desktop")),
    "read the settings": lambda targets: Path(targets.settings).read_bytes(),
    "read an organiser's key": lambda targets: Path(targets.data, "organiser", "a-run", "identity.key").read_bytes(),
    "read another peer's key": lambda targets: Path(targets.data, "peers", "7", "identity.key").read_bytes(),
    "change another engine": lambda targets: _append(Path(targets.data, "engines", "other", "torch.py")),
    "change its own code": lambda _targets: _append(Path(__file__)),
    "ptrace a program": _ptrace,
    "read a program's memory": _read_memory,
    "take a program's descriptor": _take_descriptor,
    "limit a program": _limit,
    "attach a program's memory": _attach_memory,
    "read a program's shared memory": lambda targets: shared_memory(targets.pid).read_bytes(),
    "read a program's environment": _read_environment,
    "signal a program": lambda targets: os.kill(targets.pid, signal.SIGUSR1),
    "open the session bus": _connect(SOCKETS[0]),
    "open the SSH agent": _connect(SOCKETS[1]),
    "open the bus through /proc": _connect_through_proc,
    "open an abstract socket": _connect("abstract"),
    "connect to a computer": _connect_to_port,
    "connect to a computer past TCP": _connect_past_tcp,
    "send a datagram": _send_datagram,
    "listen on a port": _listen_on_port,
    "mount": _mount,
    "enter a user namespace": _unshare,
    "clone into a user namespace": _clone_with_namespace,
    "add a kernel key": _kernel("add_key", b"user", b"workerbee-test", b"x", ctypes.c_size_t(1), ctypes.c_int(-2)),
    "load a BPF map": _load_bpf,
    "set up io_uring": _kernel("io_uring_setup", 1, ctypes.byref(_RING)),
    "count events of the processor": _kernel("perf_event_open", ctypes.byref(_EVENT), 0, -1, -1, ctypes.c_ulong(0)),
    "handle page faults": _kernel("userfaultfd", 1),
    "listen to the network's packets": _listen_to_packets,
    "type into a terminal": _type_into_terminal,
    "run a program that it has written": _run_own_file,
    "gain privileges by a setuid program": _gain_privileges,
    "dump core": _dump_core,
    "allow more tasks": _raise_limit(resource.RLIMIT_NPROC),
    "see secrets in the environment": _find_secrets,
}
# p2pd reads its key and connects to peers, whatever their ports; what needs a Python to run is no probe in it.
MAY_P2PD = {"connect to a computer", "listen on a port", "read its worker's key"}
FETCHER: dict[str, Probe] = {
    **{name: probe for name, probe in PROBES.items() if name != "send a datagram"},  # it looks up names
    "read its worker's key": lambda targets: Path(targets.data, "peers", "1", "identity.key").read_bytes(),
    "run a program": lambda _targets: subprocess.run(["/bin/true"], check=True),
}
P2PD: dict[str, Probe] = {
    **{name: probe for name, probe in FETCHER.items() if name not in MAY_P2PD},
    "write what was fetched": lambda targets: _append(Path(targets.data, "fetched", "file")),
    "list what was fetched": lambda targets: list(Path(targets.data, "fetched").iterdir()),
    "read the list of users": lambda _targets: Path("/etc/passwd").read_bytes(),
}
FORK_BOMB: dict[str, Probe] = {"start more tasks than allowed": _more_tasks_than_allowed}


def results(probes: dict[str, Probe], targets: Targets) -> dict[str, str]:
    """What came of each probe: ``possible``, or why it was refused."""
    return {name: _result(probe, targets) for name, probe in probes.items()}


def _result(probe: Probe, targets: Targets) -> str:
    try:
        probe(targets)
    except (OSError, ValueError, RefusedError, subprocess.CalledProcessError) as error:
        return f"{type(error).__name__}: {error}"
    return POSSIBLE


if __name__ == "__main__":
    _chosen = FORK_BOMB if "fork-bomb" in sys.argv[1:] else PROBES
    print(json.dumps(results(_chosen, Targets(**json.loads(sys.stdin.readline())))), flush=True)
