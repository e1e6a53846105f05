"""The networks that other tests are made of behave like real ones, and leave nothing behind."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.support.environment.network_namespaces import PREFIX, Host, Internet, internet, run
from tests.support.environment.slow_link import Line

pytestmark = pytest.mark.networks

PORT = 31337
PATIENCE_SECONDS = 30.0  # a packet that is lost is sent again after one second, after two, four and so on
REFUSED_SECONDS = 2.0  # in which nobody has answered
SERVE = f"""
import socket, threading
def swallow(server):
    while connection := server.accept()[0]:
        while connection.recv(65536):
            pass
        connection.close()
with socket.create_server(("::", {PORT}), family=socket.AF_INET6, dualstack_ipv6=True) as server:
    print("listening", flush=True)
    threading.Thread(target=swallow, args=[server], daemon=True).start()
    input()
"""
DIAL = f"""
import socket, sys
try:
    socket.create_connection((sys.argv[1], {PORT}), float(sys.argv[2])).close()
except OSError:
    sys.exit("no")
"""


SLOW = Line(delay_seconds=0.05, lost_share=0.01, bits_per_second=4e6)
POURED_BYTES = 500_000
POUR = f"""
import socket, sys
with socket.create_connection((sys.argv[1], {PORT}), 30) as connection:
    connection.sendall(bytes({POURED_BYTES}))
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)
"""


@contextlib.contextmanager
def serving(host: Host) -> Iterator[None]:
    """Somebody listens there."""
    command = [*host.within, sys.executable, "-c", SERVE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None and server.stdout.readline() == "listening\n"
        yield
        server.communicate("\n", timeout=60)


def can_dial(host: Host, address: str, seconds: float = PATIENCE_SECONDS) -> bool:
    """Whether a connection from there to that address succeeds within so long."""
    command = [*host.within, sys.executable, "-c", DIAL, address, str(seconds)]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


def test_a_public_host_is_reached_unless_its_firewall_or_its_cable_forbids_it(net: Internet) -> None:
    one, other = net.host(), net.host()
    with serving(one):
        assert can_dial(other, one.address)
        one.unplug()
        assert not can_dial(other, one.address, REFUSED_SECONDS)
        one.plug_in()
        assert can_dial(other, one.address)
        one.use_firewall()
        assert not can_dial(other, one.address, REFUSED_SECONDS)


@pytest.mark.parametrize("only_tcp", [False, True], ids=["home router", "strict firewall"])
def test_a_host_behind_a_router_is_reached_only_where_a_port_is_forwarded(net: Internet, only_tcp: bool) -> None:
    outside, router = net.host(), net.router(only_tcp)
    home = router.host()
    with serving(outside), serving(home):
        assert can_dial(home, outside.address)
        assert not can_dial(outside, router.wan.address, REFUSED_SECONDS)
        router.forward(PORT, home)
        assert can_dial(outside, router.wan.address)


def test_there_are_networks_without_ipv4() -> None:
    with internet(ipv6=True) as net:
        one, other = net.host(), net.host()
        with serving(one):
            assert can_dial(other, one.address)


def test_a_slow_line_is_slow() -> None:
    with internet() as net:
        one, other = net.host(line=SLOW), net.host(line=SLOW)
        with serving(one):
            began = time.monotonic()
            assert can_dial(other, one.address)
            assert time.monotonic() - began > 4 * SLOW.delay_seconds, "there and back, on two lines"
            began = time.monotonic()
            other.run(sys.executable, "-c", POUR, one.address)
            assert time.monotonic() - began > POURED_BYTES * 8 / SLOW.bits_per_second


def test_nothing_is_left_of_a_network_whatever_happened() -> None:
    with contextlib.suppress(ZeroDivisionError), internet() as net:
        within = net.host().within
        lost = subprocess.Popen([*within, "sh", "-c", "echo in; exec sleep 1000"], stdout=subprocess.PIPE)
        assert lost.stdout and lost.stdout.readline() == b"in\n"
        raise ZeroDivisionError
    with lost:
        assert lost.wait(60) < 0
    assert f"{PREFIX}-{os.getpid()}-" not in run("ip", "netns", "list")
