"""A stranger's run cannot send a volunteer's computer into the volunteer's own network."""

from __future__ import annotations

import email
import hashlib
import io
import ipaddress
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import ErrorKind, UserError
from core.run.spec.data import FileAt
from core.security.address_guard import AddressGuard, AddressRefusedError
from core.security.http_opener import http_opener
from core.security.ip_scope import LOOPBACK, is_own_name, is_public
from core.worker.fetch.background_task import run_in_background
from core.worker.fetch.file_cache import FileCache
from core.worker.fetch.file_store import FileStore
from tests.support.computer.loopback import serving
from tests.support.environment.home_network import FtpServer, ProxyServer, WebServer
from tests.support.recorders import RecordingListener

BODY = b"Text to learn from."
PROXY_VARIABLES = ("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def router() -> Iterator[WebServer]:
    """A web server in the volunteer's own network."""
    server = WebServer()
    server.bodies["/text"] = BODY
    with serving(server):
        yield server


def fetch(url: str, home: Path, guard: AddressGuard | None) -> bytes:
    """What a run gets that names a file with ``BODY`` at that address; raises UserError."""
    file = FileAt(url=url, sha256=hashlib.sha256(BODY).hexdigest(), size_bytes=len(BODY))
    cache = FileCache(FileStore(home, guard=guard))
    return run_in_background(lambda task: cache.file(file, task), RecordingListener()).read_bytes()


def why_refused(url: str, home: Path, guard: AddressGuard | None) -> str:
    with pytest.raises(UserError) as refused:
        fetch(url, home, guard)
    assert refused.value.problem is ErrorKind.FILES_REFUSED
    return str(refused.value.detail)


@pytest.mark.parametrize(
    ("host", "public"),
    [
        ("8.8.8.8", True),
        ("2a00:1450:4001::1", True),
        ("example.org", True),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::8.8.8.8", True),  # how a network without IPv4 sees the IPv4 internet
        ("2002:808:808::1", True),
        ("192.168.1.1", False),
        ("10.1.2.3", False),
        ("100.64.0.1", False),
        ("127.0.0.1", False),
        ("169.254.169.254", False),
        ("0.0.0.0", False),
        ("224.0.0.251", False),
        ("239.255.255.250", False),
        ("255.255.255.255", False),
        ("::", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("fec0::1", False),
        ("ff02::fb", False),
        ("ff0e::1", False),
        ("::127.0.0.1", False),
        ("::8.8.8.8", False),
        ("::ffff:192.168.1.1", False),
        ("64:ff9b::192.168.1.1", False),
        ("64:ff9b:1::8.8.8.8", False),
        ("2002:c0a8:101::1", False),
        ("2002:7f00:1::", False),
        ("2001:0:808:808::1", False),
        ("localhost", False),
    ],
)
def test_which_addresses_are_the_worlds(host: str, public: bool) -> None:
    assert is_public(host) is public


@pytest.mark.parametrize(
    ("name", "own"),
    [("router", True), ("LOCALHOST.", True), ("printer.local", True), ("a.b.internal", True), ("example.org", False)],
)
def test_which_names_are_of_an_own_network(name: str, own: bool) -> None:
    assert is_own_name(name) is own


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "0x7f000001"])
def test_nothing_is_asked_in_the_volunteers_own_network(
    router: WebServer, tmp_path: Path, scheme: str, host: str
) -> None:
    assert "into your own network" in why_refused(
        f"{scheme}://{host}:{router.server_port}/text", tmp_path, AddressGuard()
    )
    assert router.asked == []


@pytest.mark.parametrize(
    "variables",
    [
        {"no_proxy": "*"},
        {"no_proxy": "127.0.0.1"},
        {"https_proxy": "http://127.0.0.1:9"},
        {"all_proxy": "http://127.0.0.1:9"},
        {"http_proxy": "PROXY", "no_proxy": "127.0.0.1,localhost"},
        {"http_proxy": "PROXY", "https_proxy": "PROXY", "no_proxy": "*"},
        {"http_proxy": "PROXY"},
        {"http_proxy": "PROXY", "https_proxy": "PROXY"},
    ],
)
def test_no_proxy_variable_turns_the_guard_off(
    router: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    proxy = ProxyServer({})
    for name, value in variables.items():
        monkeypatch.setenv(name, value.replace("PROXY", proxy.url))
    with serving(proxy):
        for scheme in ("http", "https"):
            for host in ("127.0.0.1", "localhost", "127.1", "[::ffff:127.0.0.1]"):
                url = f"{scheme}://{host}:{router.server_port}/text"
                assert "into your own network" in why_refused(url, tmp_path, AddressGuard())
        assert proxy.asked == []
    assert router.asked == []


def test_a_proxy_that_was_set_is_used(router: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = ProxyServer({"files.invalid": router.host})  # only the proxy knows that name
    monkeypatch.setenv("http_proxy", proxy.url)
    with serving(proxy):
        assert fetch("http://files.invalid/text", tmp_path, AddressGuard()) == BODY
    assert proxy.asked == ["http://files.invalid/text"]


@pytest.mark.parametrize("name", ["router", "nas.local", "x.localhost"])
def test_a_proxy_is_not_sent_to_names_of_its_own_network(
    router: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    proxy = ProxyServer({name: router.host})
    monkeypatch.setenv("http_proxy", proxy.url)
    with serving(proxy):
        assert "into your own network" in why_refused(f"http://{name}/text", tmp_path, AddressGuard())
    assert proxy.asked == [] and router.asked == []


def test_a_redirection_through_a_proxy_is_judged_again(
    router: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    router.redirections["/start"] = f"http://{router.host}/text"
    proxy = ProxyServer({"files.invalid": router.host})
    monkeypatch.setenv("http_proxy", proxy.url)
    with serving(proxy):
        assert "into your own network" in why_refused("http://files.invalid/start", tmp_path, AddressGuard())
    assert router.asked == ["/start"]


@pytest.mark.parametrize("guard", [AddressGuard(LOOPBACK), None])
@pytest.mark.parametrize("target", ["ftp://FTP/secret", "ftp://anyone@FTP/secret;type=i", "FTP:////FTP/"])
def test_a_redirection_to_ftp_is_not_followed(
    router: WebServer, tmp_path: Path, guard: AddressGuard | None, target: str
) -> None:
    ftp = FtpServer()
    router.redirections["/start"] = target.replace("FTP/", f"{ftp.host}/")
    with serving(ftp):
        assert "redirects" in why_refused(f"http://{router.host}/start", tmp_path, guard)
    assert ftp.commands == []
    assert router.asked == ["/start"], "asked once, not again and again"


@pytest.mark.parametrize("target", ["file:///etc/hostname", "data:text/plain,secret", "gopher://127.0.0.1/", "//[", ""])
def test_a_redirection_to_anything_but_the_web_is_refused_at_once(
    router: WebServer, tmp_path: Path, target: str
) -> None:
    router.redirections["/start"] = target
    assert why_refused(f"http://{router.host}/start", tmp_path, AddressGuard(LOOPBACK))


def test_a_redirection_never_leaves_tls() -> None:
    request = urllib.request.Request("https://example.org/a")
    with pytest.raises(AddressRefusedError, match="redirects from https to http"):
        http_opener(None).error(  # as urllib does with an answer whose status is 302
            "http", request, io.BytesIO(), 302, "Found", email.message_from_string("Location: http://example.org/b")
        )


def test_a_redirection_goes_on_where_it_may(router: WebServer, tmp_path: Path) -> None:
    router.redirections["/start"] = "/text"
    assert fetch(f"http://{router.host}/start", tmp_path, AddressGuard(LOOPBACK)) == BODY


def test_another_subnet_than_the_swarms_own_is_as_closed_as_ever(router: WebServer, tmp_path: Path) -> None:
    subnet = AddressGuard((ipaddress.ip_network("192.168.7.0/24"),))
    subnet.refuse("192.168.7.5")
    subnet.refuse("::ffff:192.168.7.5")
    assert "into your own network" in why_refused(f"http://{router.host}/text", tmp_path, subnet)
    assert router.asked == []
