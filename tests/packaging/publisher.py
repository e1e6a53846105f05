"""A publisher of packages: a GPG key of its own, and a repository's folder at a web server on loopback."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support.computer.loopback import serving


def new_key(address: str) -> str:
    """The address of a new signing key without a passphrase."""
    made = ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", address, "ed25519", "sign", "never"]
    subprocess.run(made, check=True, capture_output=True)
    return address


@contextmanager
def publishers_key() -> Iterator[str]:
    """A publisher's key, in a GNUPGHOME whose path is short enough for the socket of gpg's agent."""
    before = os.environ.get("GNUPGHOME")
    with tempfile.TemporaryDirectory(prefix="bee-gpg-") as home:
        os.environ["GNUPGHOME"] = home
        try:
            yield new_key("publisher@example.org")
        finally:
            subprocess.run(["gpgconf", "--kill", "all"], check=True)
            if before is None:
                del os.environ["GNUPGHOME"]
            else:
                os.environ["GNUPGHOME"] = before


@contextmanager
def serving_repository(folder: Path) -> Iterator[str]:
    """The address of that folder at a web server, until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    with serving(server):
        yield f"http://127.0.0.1:{server.server_port}"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Quietly."""
