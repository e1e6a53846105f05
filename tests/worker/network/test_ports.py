"""An organiser's port stays the same, and is never one that another program listens on."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import ErrorKind, UserError
from core.worker.network.ports import fixed_listen, free_fixed_listen, refuse_taken_ports
from tests.support.peers.hostile_records import organiser


@pytest.fixture(params=["alone", "sharing"])
def taken(request: pytest.FixtureRequest) -> Iterator[int]:
    """A port on which somebody listens: one who would share it, as p2pd would, and one who would not."""
    with socket.socket() as listener:
        if request.param == "sharing":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def port_of(address: str) -> int:
    return int(address.split("/")[4])


def test_the_port_of_last_time_is_the_port_of_this_time(tmp_path: Path) -> None:
    first = fixed_listen(tmp_path / "port")
    assert first[0].startswith("/ip4/0.0.0.0/tcp/")
    assert len({port_of(address) for address in first}) == 1
    with socket.create_server(("", port_of(first[0]))):
        assert fixed_listen(tmp_path / "port") == first, "the address that was posted must stay true"


def test_a_port_that_nobody_has_posted_is_given_up_when_it_is_taken(tmp_path: Path) -> None:
    first = free_fixed_listen(tmp_path / "port")
    assert free_fixed_listen(tmp_path / "port") == first
    with socket.create_server(("", port_of(first[0]))):
        second = free_fixed_listen(tmp_path / "port")
        assert second != first
        assert free_fixed_listen(tmp_path / "port") == second


@pytest.mark.parametrize("damage", [b"", b"31337x", b"\xff\xfe"])
def test_a_damaged_memory_is_replaced(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "port").write_bytes(damage)
    first = fixed_listen(tmp_path / "port")
    assert fixed_listen(tmp_path / "port") == first


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_port_that_is_taken_is_refused_and_named(taken: int, host: str) -> None:
    with pytest.raises(UserError, match=f"/ip4/{host}/tcp/{taken}: Address already in use") as raised:
        refuse_taken_ports([f"/ip4/{host}/tcp/{taken}"])
    assert raised.value.problem is ErrorKind.PORT_TAKEN


def test_a_port_that_was_just_let_go_may_be_taken_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)), listener.accept()[0]:
            pass  # our end closes first, and the system remembers the connection for a minute
    refuse_taken_ports([f"/ip4/127.0.0.1/tcp/{port}"])


def test_what_is_no_fixed_tcp_port_is_not_looked_at(taken: int) -> None:
    refuse_taken_ports(["/ip4/127.0.0.1/tcp/0", f"/ip4/127.0.0.1/udp/{taken}/quic-v1"])


@pytest.mark.real
@pytest.mark.slow
def test_an_organiser_whose_port_is_taken_says_so(tmp_path: Path, taken: int) -> None:
    with organiser(tmp_path, listen=(f"/ip4/127.0.0.1/tcp/{taken}",)) as worker:
        failed = worker.failure()
    assert ErrorKind.from_key(failed.problem) is ErrorKind.PORT_TAKEN
    assert str(taken) in str(failed.detail)
