"""Figures for Prometheus: in its text format, whatever strangers call themselves, and on this computer only."""

from __future__ import annotations

import contextlib
import http.client
import socket
from collections.abc import Iterator

import pytest

from core.errors import UserError
from core.fleet.exposition import CONTENT_TYPE, exposition
from core.fleet.metrics_server import MetricsServer
from core.protocol.peers import PeerActivity, PeerPower
from tests.core.fleet.exposition_format import Family, parse
from tests.core.fleet.made_up_fleets import HOSTILE, NOON, peer, snapshot

SEEN = snapshot(
    peer(0, name="Ada", samples_per_second=12.5, power=PeerPower(watts=250, joules=9000)),
    peer(1, epoch=2),
    peer(2, device=HOSTILE, name=HOSTILE[:40], activity=PeerActivity(version="0.2.0", whole=1)),
    untold=4,
)


def one(family: Family, **labels: str) -> float:
    """The value of the only sample with these labels among others."""
    (value,) = [value for found, value in family.samples.items() if set(labels.items()) <= set(found)]
    return value


def test_every_figure_of_a_snapshot_is_a_gauge_with_the_run_as_a_label() -> None:
    families = parse(exposition(SEEN))
    assert {family.kind for family in families.values()} == {"gauge"} and all(each.help for each in families.values())
    assert all(("run", "sums") in labels for family in families.values() for labels in family.samples)
    figures = {name.removeprefix("workerbee_"): family for name, family in families.items()}
    assert [one(figures["peers"], connection=each) for each in ("direct", "outgoing", "unknown")] == [2, 1, 4]
    assert one(figures["stragglers"]) == 1 and one(figures["samples_per_second"]) == 32.5
    assert one(figures["rounds"], result="failed") == 4 and one(figures["traffic_bytes"], direction="sent") == 2000
    assert one(figures["evaluation_loss"]) == 1.2 and one(figures["seen_timestamp_seconds"]) == NOON
    assert one(figures["suspect_rounds"], peer="12D3KooWliar") == 7
    assert one(figures["peer_samples_per_second"], peer=peer(0).peer_id) == 12.5
    assert one(figures["peer_info"], name="Ada", device="CPU", version="0.1.0", connection="direct") == 1
    assert one(figures["power_peers"]) == 1 and one(figures["power_watts"]) == 250
    assert one(figures["energy_joules"]) == 9000 and one(figures["peer_power_watts"], peer=peer(0).peer_id) == 250
    assert "run_ends_in_seconds" not in figures and "run_end_energy_joules" not in figures


@pytest.mark.parametrize(
    "words", [HOSTILE, 'a"} 1\nworkerbee_peers{x="', "\\", '\\"', "ends with \\", "a\r\n# TYPE x y", "🐝" * 40]
)
def test_whatever_strangers_call_themselves_stays_in_the_value_of_a_label(words: str) -> None:
    hostile = snapshot(peer(0, name=words, device=words), peer(1, device=f"{words}\x1b"), peer(2, peer_id=words))
    plain = snapshot(peer(0), peer(1), peer(2))
    assert parse(exposition(hostile)).keys() == parse(exposition(plain)).keys()


def test_names_that_are_one_when_they_are_harmless_are_one_series() -> None:
    families = parse(
        exposition(snapshot(peer(0, device="GPU\x1b"), peer(1, device="GPU"), peer(2, device="GPU\u202e")))
    )
    assert one(families["workerbee_device_peers"], device="GPU") == 3


def test_what_is_not_known_or_no_number_is_left_out() -> None:
    families = parse(exposition(snapshot(peer(0, samples_per_second=float("inf")), loss=None)))
    assert "workerbee_power_watts" not in families and "workerbee_peer_power_watts" not in families
    assert "workerbee_loss" not in families and "workerbee_peer_samples_per_second" not in families


@pytest.fixture
def server() -> Iterator[MetricsServer]:
    with MetricsServer(0) as server:
        yield server


def asked(server: MetricsServer, method: str = "GET", path: str = "/metrics", **headers: str) -> tuple[int, bytes, str]:
    """The status, the body and its type that are answered."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as line:
        line.request(method, path, headers=headers)
        answer = line.getresponse()
        assert answer.headers["Access-Control-Allow-Origin"] is None
        return answer.status, answer.read(), answer.headers["Content-Type"]


def test_the_last_snapshot_is_answered_and_nothing_before_the_first(server: MetricsServer) -> None:
    assert asked(server)[0] == 503
    server.show(snapshot(peer(0)))
    server.show(SEEN)
    assert asked(server) == (200, exposition(SEEN), CONTENT_TYPE)
    assert asked(server, Host=f"LOCALHOST:{server.port}")[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "host", "status"),
    [
        ("GET", "/", "", 404),
        ("GET", "/metrics/../etc/passwd", "", 404),
        ("POST", "/metrics", "", 405),
        ("HEAD", "/metrics", "", 405),
        ("OPTIONS", "/metrics", "", 405),
        ("GET", "/metrics", "evil.example", 421),
        ("GET", "/metrics", "127.0.0.1:1", 421),
        ("GET", "/metrics", "127.0.0.1.evil.example:{port}", 421),
    ],
)
def test_another_method_path_or_host_is_refused(
    server: MetricsServer, method: str, path: str, host: str, status: int
) -> None:
    """A name that leads to 127.0.0.1 by a trick of the DNS has that name in the header Host."""
    server.show(SEEN)
    headers = {"Host": host.format(port=server.port)} if host else {}
    refused, body, _ = asked(server, method, path, **headers)
    assert refused == status and b"workerbee_" not in body


def test_a_request_without_a_host_is_refused_and_one_of_nonsense_ends_nothing(server: MetricsServer) -> None:
    server.show(SEEN)
    for said in (b"GET /metrics HTTP/1.0\r\n\r\n", b"\x16\x03\x01\x00\xff nonsense\r\n\r\n", b""):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
            line.sendall(said)
            line.shutdown(socket.SHUT_WR)
            assert b"workerbee_" not in b"".join(iter(lambda: line.recv(4096), b""))
    assert asked(server)[0] == 200


def test_a_port_that_is_taken_is_told_in_words(server: MetricsServer) -> None:
    with pytest.raises(UserError, match=rf"127\.0\.0\.1:{server.port}"):
        MetricsServer(server.port)
