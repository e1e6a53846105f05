"""What answers in a home network: a web server such as a router's page, an FTP server, and a proxy, all on loopback.

Each notes what it is asked, so that a test can see that it was asked nothing.
"""

from __future__ import annotations

import contextlib
import http.client
import socketserver
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


class WebServer(ThreadingHTTPServer):
    """Answers each path with its ``bodies``, or sends to the address among ``redirections``; else with a small page."""

    daemon_threads = True

    def __init__(self, host: str = "127.0.0.1") -> None:
        super().__init__((host, 0), _Page)
        self.asked: list[str] = []
        self.bodies: dict[str, bytes] = {}
        self.redirections: dict[str, str] = {}

    @property
    def host(self) -> str:
        """Host and port."""
        return f"{self.server_address[0]!s}:{self.server_port}"


class _Page(BaseHTTPRequestHandler):
    server: WebServer

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if (target := self.server.redirections.get(self.path)) is not None:
            self.send_response(302)
            self.send_header("Location", target)
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.server.bodies.get(self.path, b"The router."))

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class ProxyServer(ThreadingHTTPServer):
    """Does what it is asked, as a forward proxy does: whole addresses (RFC 9112, section 3.2.2), no ``CONNECT``.

    It stands for the proxy of an office, which knows the names of ``hosts``: they all lead to that host and port.
    """

    daemon_threads = True

    def __init__(self, hosts: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Forward)
        self.asked: list[str] = []
        self.hosts = hosts

    @property
    def url(self) -> str:
        """The value of the variable ``http_proxy``."""
        return f"http://127.0.0.1:{self.server_port}"


class _Forward(BaseHTTPRequestHandler):
    server: ProxyServer

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        parts = urlsplit(self.path)
        target = self.server.hosts.get(parts.netloc, parts.netloc)
        connection = http.client.HTTPConnection(target, timeout=30)
        with contextlib.closing(connection):
            connection.request("GET", parts.path)
            answer = connection.getresponse()
            self.send_response(answer.status)
            if location := answer.headers.get("Location"):
                self.send_header("Location", location)
            self.end_headers()
            self.wfile.write(answer.read())

    def do_CONNECT(self) -> None:
        """Refuse it, and note that it was asked for."""
        self.server.asked.append(self.path)
        self.send_error(403)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class FtpServer(socketserver.ThreadingTCPServer):
    """Takes commands (RFC 959) and answers all of them with success."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _FtpSession)
        self.commands: list[str] = []

    @property
    def host(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.server_address[1]}"


class _FtpSession(socketserver.StreamRequestHandler):
    server: FtpServer

    def handle(self) -> None:
        self.server.commands.append("connected")
        self.wfile.write(b"220 ready\r\n")
        while line := self.rfile.readline():
            self.server.commands.append(line.decode(errors="replace").strip())
            self.wfile.write(b"230 done\r\n")
