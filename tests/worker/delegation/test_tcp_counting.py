"""What a process's connections move is counted by the kernel: real sockets of a real child, on loopback.

Loopback is what does not count in a worker, so these tests say that every connection does.
"""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import pytest

from core.worker.delegation.tcp_counting import TcpTraffic, leaves_computer
from core.worker.delegation.tcp_pacing import SharedLimit
from core.worker.delegation.tcp_watch import LIMITED_LOOK_SECONDS, LOOK_SECONDS, TcpWatch
from tests.core.security.confinement.confined_child import run_confined

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a parent copy a child's sockets")

LARGE_BYTES = 1_000_000
CHILD = """
import json, socket, sys
connections = {}
for line in sys.stdin:
    name, deed, value = json.loads(line)
    if deed == "open":
        connections[name] = socket.create_connection(value)
    elif deed == "send":
        connections[name].sendall(bytes(value))
    elif deed == "receive":
        while value:
            value -= len(connections[name].recv(value))
    elif deed == "close":
        connections.pop(name).close()
    print(flush=True)
"""


@dataclass
class Child:
    """A process whose connections are those of a server here, by their names; each deed has been done on return."""

    process: subprocess.Popen[str]
    server: socket.socket

    def do(self, name: str, deed: str, value: object = None) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps([name, deed, value]) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "\n"

    def connect(self, name: str) -> socket.socket:
        """Our end of a new connection."""
        self.do(name, "open", self.server.getsockname()[:2])
        return self.server.accept()[0]


@pytest.fixture(params=["127.0.0.1", "::1"])
def child(request: pytest.FixtureRequest) -> Iterator[Child]:
    family = socket.AF_INET6 if ":" in request.param else socket.AF_INET
    command = [sys.executable, "-c", CHILD]
    with (
        socket.create_server((request.param, 0), family=family) as server,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process,
    ):
        yield Child(process, server)
        process.kill()


@pytest.fixture
def traffic() -> TcpTraffic:
    return TcpTraffic()


@pytest.fixture
def watch(child: Child, traffic: TcpTraffic) -> TcpWatch:
    return TcpWatch(child.process.pid, SharedLimit(), traffic, lambda _own, _peer: True)


def drain(connection: socket.socket, size: int) -> None:
    """Take in what the child has sent."""
    while size:
        size -= len(connection.recv(size))


def seen_from_here(connection: socket.socket, header_bytes: int) -> tuple[int, int]:
    """What the other end of the connection has sent and received, by what the kernel counts of this end.

    Here the answer to its SYN was sent before there was a socket for it.
    """
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 208)
    received, segments_out, segments_in, sent = struct.unpack("=128xQII56xQ", info)
    return received + segments_in * header_bytes, sent + (segments_out + 1) * header_bytes


def test_data_and_headers_of_both_directions_are_counted_once(
    child: Child, traffic: TcpTraffic, watch: TcpWatch
) -> None:
    header_bytes = 52 if child.server.family == socket.AF_INET else 72
    with child.connect("a") as one, child.connect("b") as other:
        child.do("a", "send", LARGE_BYTES)
        drain(one, LARGE_BYTES)
        assert watch.look() == LOOK_SECONDS
        other.sendall(bytes(LARGE_BYTES // 2))
        child.do("b", "receive", LARGE_BYTES // 2)
        for _ in range(3):  # a look adds what is new, and nothing else
            watch.look()
        ends = [seen_from_here(each, header_bytes) for each in (one, other)]
    assert (traffic.sent_bytes, traffic.received_bytes) == tuple(map(sum, zip(*ends, strict=True)))
    assert LARGE_BYTES < traffic.sent_bytes < 1.05 * LARGE_BYTES + 100 * header_bytes


def test_a_connection_that_the_peer_has_closed_counts_to_its_end(
    child: Child, traffic: TcpTraffic, watch: TcpWatch
) -> None:
    with child.connect("a") as connection:
        watch.look()
        child.do("a", "send", LARGE_BYTES)
        drain(connection, LARGE_BYTES)
    watch.look()  # the child has not closed its end
    assert traffic.sent_bytes > LARGE_BYTES


def test_what_a_connection_moves_between_the_last_look_and_its_end_is_lost_and_nothing_else(
    child: Child, traffic: TcpTraffic, watch: TcpWatch
) -> None:
    """So of those that live shorter than a look takes to come round, nothing is counted: hivemind's messages are."""
    with child.connect("long") as long:
        for number in range(20):
            with child.connect(str(number)) as short:
                child.do(str(number), "send", 10_000)
                drain(short, 10_000)
                child.do(str(number), "close")
            child.do("long", "send", 10_000)
            drain(long, 10_000)
            watch.look()
        assert traffic.sent_bytes == pytest.approx(20 * 10_000, rel=0.1)
        child.do("long", "send", 10_000)
        child.do("long", "close")
        before = traffic.sent_bytes
        watch.look()
        assert traffic.sent_bytes == before


def test_what_stays_on_this_computer_does_not_count(child: Child, traffic: TcpTraffic) -> None:
    watch = TcpWatch(child.process.pid, SharedLimit(), traffic)
    with child.connect("a") as connection:
        child.do("a", "send", LARGE_BYTES)
        drain(connection, LARGE_BYTES)
        watch.look()
    assert (traffic.sent_bytes, traffic.received_bytes) == (0, 0)


@pytest.mark.parametrize(
    ("own", "peer", "leaves"),
    [
        ("192.168.1.5", "192.168.1.6", True),
        ("10.8.0.2", "100.64.1.1", True),
        ("2a00:1111::1", "2a00:1111::2", True),
        ("192.168.1.5", "192.168.1.5", False),  # two workers of this computer, which have found each other by it
        ("127.0.0.1", "127.0.0.53", False),
        ("::1", "::1", False),
    ],
)
def test_a_peer_at_another_address_is_another_computer(own: str, peer: str, leaves: bool) -> None:
    assert leaves_computer(ip_address(own), ip_address(peer)) is leaves


def test_counting_and_pacing_are_one_look(child: Child, traffic: TcpTraffic) -> None:
    shared = SharedLimit()
    watch = TcpWatch(child.process.pid, shared, traffic, lambda _own, _peer: True)
    with child.connect("a") as connection:
        shared.limit = 100_000_000
        child.do("a", "send", LARGE_BYTES)
        drain(connection, LARGE_BYTES)
        assert watch.look() == LIMITED_LOOK_SECONDS
    assert traffic.sent_bytes > LARGE_BYTES and shared.state == "limited"


def test_a_process_that_has_ended_is_no_error(child: Child, traffic: TcpTraffic, watch: TcpWatch) -> None:
    with child.connect("a") as connection:
        child.do("a", "send", 10_000)
        drain(connection, 10_000)
        watch.look()
        counted = traffic.sent_bytes
        child.process.kill()
        child.process.wait()
        watch.look()
    assert traffic.sent_bytes == counted > 10_000


def test_where_the_kernel_refuses_copies_nothing_is_counted_and_a_limit_is_told_as_refused(tmp_path: Path) -> None:
    script = """
from core.security.confinement.confine import leave_descriptors
from core.security.confinement.landlock import refuse_new_privileges
from core.worker.delegation.tcp_counting import TcpTraffic
from core.worker.delegation.tcp_pacing import SharedLimit
from core.worker.delegation.tcp_watch import TcpWatch
from tests.core.security.confinement.confined_child import run_confined

refuse_new_privileges()
leave_descriptors()
shared, traffic = SharedLimit(), TcpTraffic()
with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
    child = subprocess.Popen(["sleep", "60"], close_fds=False, pass_fds=[server.fileno()])
    watch = TcpWatch(child.pid, shared, traffic, lambda own, peer: True)
    for limit in (None, 1_000_000):
        shared.limit = limit
        watch.look()
        say(shared.state, traffic.sent_bytes)
    child.kill()
"""
    assert run_confined(script, tmp_path) == ["free 0", "refused 0"]
