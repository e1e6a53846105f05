"""A server on loopback that answers whoever looks for a newer version: well, badly, slowly or not at all."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.support.computer.loopback import serving


class NoticeServer(ThreadingHTTPServer):
    """``asked`` are the headers of each question; ``leads_to`` is where it sends everybody instead.

    Answers break off after ``cut_at_bytes``. One that ``drips`` sends a byte now and then, and never comes to an end
    while anybody listens.
    """

    daemon_threads = True

    def __init__(self, certificate: Path | None = None) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Answer, self))
        self.body = b""
        self.leads_to = ""
        self.drips = False
        self.cut_at_bytes: int | None = None
        self.asked: list[dict[str, str]] = []
        self.is_closing = threading.Event()
        self._scheme = "https" if certificate else "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)

    @property
    def address(self) -> str:
        """Of the notice."""
        return f"{self._scheme}://127.0.0.1:{self.server_address[1]}/latest.json"


@contextmanager
def serving_notices(certificate: Path | None = None) -> Iterator[NoticeServer]:
    """Until the block ends."""
    server = NoticeServer(certificate)
    with serving(server):
        try:
            yield server
        finally:
            server.is_closing.set()


class _Answer(BaseHTTPRequestHandler):
    def __init__(self, server: NoticeServer, *args: object) -> None:
        self._notices = server
        super().__init__(*args)  # type: ignore[arg-type]

    def log_message(self, *_: object) -> None:
        """Quietly."""

    def do_GET(self) -> None:
        server = self._notices
        server.asked.append(dict(self.headers.items()))
        if server.leads_to:
            self.send_response(302)
            self.send_header("Location", server.leads_to)
            self.end_headers()
            return
        self.send_response(200)
        if not server.drips:
            self.send_header("Content-Length", str(len(server.body)))
        self.end_headers()
        try:
            if server.drips:
                while not server.is_closing.wait(0.2):
                    self.wfile.write(b" ")
            self.wfile.write(server.body[: server.cut_at_bytes])
        except OSError:  # whoever asked has gone
            pass


def certificate_for_loopback(path: Path) -> Path:
    """A key and a certificate that nobody but a test believes."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(secret + made.public_bytes(Encoding.PEM))
    return path
