"""The figures of a fleet for Prometheus, on this computer's own address: read-only, and nothing else is answered.

It is no control port: a request changes nothing, and its body is not read. A web page in this computer's browser may
send requests there; it cannot read the answers (there is no CORS header), and a name that it has made lead here (DNS
rebinding) is refused, because the header Host has to name this computer itself.
"""

from __future__ import annotations

import logging
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import TracebackType

from core.errors import ErrorKind, UserError
from core.fleet.exposition import CONTENT_TYPE, exposition
from core.fleet.snapshot import FleetSnapshot
from core.localizable import localized

ADDRESS = "127.0.0.1"
PATH = "/metrics"
REQUEST_SECONDS = 5.0  # that a client may take; others wait meanwhile

log = logging.getLogger(__name__)


class MetricsServer:
    """A context that answers ``GET /metrics`` with the last snapshot that was shown; port 0 is any free one."""

    def __init__(self, port: int) -> None:
        """Raises UserError where the port is taken."""
        try:
            self._server = _Server((ADDRESS, port), _Handler)
        except OSError as error:
            detail = f"{ADDRESS}:{port}: {error.strerror or type(error).__name__}"
            raise UserError(ErrorKind.USAGE, localized("Metrics cannot be served at %1.", detail)) from error
        self._thread = threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True)

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return self._server.server_port

    def __enter__(self) -> MetricsServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def show(self, snapshot: FleetSnapshot) -> None:
        """Answer with that snapshot from now on."""
        self._server.text = exposition(snapshot)


class _Server(HTTPServer):
    """One request at a time; ``text`` is replaced as a whole, from another thread."""

    text: bytes | None = None

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no error of ours."""
        log.info("a request for metrics has failed", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    """One request: its method, path and host are checked, and nothing else of it is used."""

    server_version, sys_version = "workerbee", ""
    timeout = REQUEST_SECONDS
    server: _Server

    def do_GET(self) -> None:
        """Answer the one path that there is."""
        if not self._is_for_this_computer():
            self._answer(HTTPStatus.MISDIRECTED_REQUEST, b"The header Host has to name this computer.\n")
        elif self.path != PATH:
            self._answer(HTTPStatus.NOT_FOUND, f"There is only {PATH}.\n".encode())
        elif (text := self.server.text) is None:
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, b"The fleet has not been seen yet.\n")
        else:
            self._answer(HTTPStatus.OK, text, CONTENT_TYPE)

    def _refuse(self) -> None:
        self._answer(HTTPStatus.METHOD_NOT_ALLOWED, b"Only GET is answered.\n")

    do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _refuse  # noqa: N815

    def _is_for_this_computer(self) -> bool:
        hosts = self.headers.get_all("Host", [])
        allowed = {f"{name}:{self.server.server_port}" for name in (ADDRESS, "localhost")}
        return len(hosts) == 1 and hosts[0].strip().lower() in allowed

    def _answer(self, status: HTTPStatus, body: bytes, content_type: str = "text/plain; charset=utf-8") -> None:
        self.close_connection = True
        self.send_response(status)
        headers = {
            "Content-Type": content_type,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        }
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = "GET"
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *values: object) -> None:
        """Note a request in the log of those who debug."""
        log.debug(format, *values)
