"""A stranger's run cannot send a volunteer's computer into the volunteer's own network."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from core.errors import ErrorKind, UserError
from core.run.spec.data import FileAt
from core.security.ip_scope import is_public
from core.worker.fetch.background_task import run_in_background
from core.worker.fetch.file_cache import FileCache
from core.worker.fetch.file_store import FileStore
from tests.support.recorders import RecordingListener

ASKED: list[str] = []


@contextmanager
def home_server() -> Iterator[str]:
    """What answers in a home network, such as a router's own page; it notes what it is asked."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            ASKED.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@pytest.mark.parametrize(
    ("host", "public"),
    [
        ("8.8.8.8", True),
        ("2a00:1450:4001::1", True),
        ("example.org", True),
        ("192.168.1.1", False),
        ("10.1.2.3", False),
        ("100.64.0.1", False),
        ("127.0.0.1", False),
        ("169.254.169.254", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("::ffff:192.168.1.1", False),
        ("localhost", False),
    ],
)
def test_which_addresses_are_the_worlds(host: str, public: bool) -> None:
    assert is_public(host) is public


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_nothing_is_asked_in_the_volunteers_own_network(tmp_path: Path, scheme: str, host: str) -> None:
    ASKED.clear()
    with home_server() as address:
        url = f"{scheme}://{address.replace('127.0.0.1', host)}/reboot"
        file = FileAt(url=url, sha256="0" * 64, size_bytes=10)
        shelf = FileCache(FileStore(tmp_path, only_public=True))
        with pytest.raises(UserError, match="into your own network") as refused:
            run_in_background(lambda errand: shelf.file(file, errand), RecordingListener())
    assert refused.value.problem is ErrorKind.FILES_REFUSED
    assert ASKED == []
